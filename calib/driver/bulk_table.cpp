#include <calib/driver/bulk_table.hpp>

#include <calib/driver/catalogue.hpp>
#include <calib/driver/format.hpp>
#include <calib/driver/grid.hpp>

#include <algorithm>
#include <set>

namespace calib {
namespace {

template <class Figures, class Is>
const typename Figures::value_type* find(const Figures& among, Is&& is) {
  const auto found = std::find_if(among.begin(), among.end(), is);
  return found == among.end() ? nullptr : &*found;
}

// One probe in one form: sizes down, layers across.
class one_table {
 public:
  one_table(const result& from, std::string probe, std::string form)
      : from_(from), probe_(std::move(probe)), form_(std::move(form)) {
    for (const row& r : from.rows)
      if (r.about.probe == probe_ && r.about.form == form_) {
        sizes_.insert(r.about.bytes);
        present_.insert(r.layer);
      }
  }

  [[nodiscard]] std::string text(bool colour) const {
    if (sizes_.empty()) return {};
    grid out(colour);
    out.add("", titles(), true);
    for (const std::size_t bytes : sizes_) out.add(size_text(bytes), cells({probe_, form_, bytes}));
    return format("\n{}, whose reader {} what has come: GB/s\n\n{}",
                  probe_ == "store" ? "Stores" : "Gets",
                  form_ == "touched" ? "looks at every line of" : "does not look at", out.text());
  }

 private:
  [[nodiscard]] std::vector<std::string> layers() const {
    std::vector<std::string> out;
    for (const std::string& layer : layers_of_shm())
      if (present_.count(layer) == 1) out.push_back(layer);
    return out;
  }

  [[nodiscard]] std::vector<cell> titles() const {
    std::vector<cell> out;
    for (const std::string& layer : layers()) out.push_back(title(layer));
    for (const std::string& layer : layers())
      if (is_ours(layer) && present_.count("limit-copy") == 1) {
        out.push_back(title(layer + " of limit-copy"));
        out.push_back(title("ns longer"));
      }
    return out;
  }

  // The figures of all layers, then ours beside the limit.
  [[nodiscard]] std::vector<cell> cells(const subject& about) const {
    std::vector<cell> out;
    for (const std::string& layer : layers()) {
      const row* r =
          find(from_.rows, [&](const row& x) { return x.layer == layer && x.about == about; });
      out.push_back(r == nullptr ? cell{} : cell{number(r->value.median), "", ""});
    }
    for (const std::string& layer : layers()) {
      if (!is_ours(layer) || present_.count("limit-copy") == 0) continue;
      const ratio* part = find(from_.ratios, [&](const ratio& x) {
        return x.layer == layer && x.against == "limit-copy" && x.about == about;
      });
      const excess* longer = find(
          from_.excesses, [&](const excess& x) { return x.layer == layer && x.about == about; });
      out.push_back(part == nullptr ? cell{} : cell_of(part->value));
      out.push_back(longer == nullptr ? cell{} : cell_of(longer->ns));
    }
    return out;
  }

  const result& from_;
  std::string probe_;
  std::string form_;
  std::set<std::size_t> sizes_;
  std::set<std::string> present_;
};

}  // namespace

std::string bulk_tables(const result& from, bool colour) {
  std::string out;
  for (const char* probe : {"store", "get"})
    for (const char* form : {"untouched", "touched"})
      out += one_table(from, probe, form).text(colour);
  return out;
}

}  // namespace calib
