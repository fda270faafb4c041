#include <calib/driver/bulk_table.hpp>

#include <calib/driver/grid.hpp>
#include <calib/format.hpp>

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
  one_table(const result& from, const transport& over, std::string probe, std::string form)
      : from_(from),
        over_(over),
        limit_{std::string(over.bulk_limit), std::string(over.name)},
        probe_(std::move(probe)),
        form_(std::move(form)) {
    for (const row& r : from.rows)
      if (r.who.transport == over.name && r.about.probe == probe_ && r.about.form == form_) {
        sizes_.insert(r.about.bytes);
        present_.insert(r.who);
      }
  }

  [[nodiscard]] std::string text(bool colour) const {
    if (sizes_.empty()) return {};
    grid out(colour);
    out.add("", titles(), true);
    for (const std::size_t bytes : sizes_) out.add(size_text(bytes), cells({probe_, form_, bytes}));
    return format("\n{} over {}, whose reader {} what has come: GB/s\n\n{}",
                  probe_ == "store" ? "Stores" : "Gets", over_.medium,
                  form_ == "touched" ? "looks at every line of" : "does not look at", out.text());
  }

 private:
  [[nodiscard]] std::vector<carrier> layers() const {
    std::vector<carrier> out;
    for (const carrier& who : carriers())
      if (present_.count(who) == 1) out.push_back(who);
    return out;
  }

  [[nodiscard]] bool beside_limit(const carrier& who) const {
    return is_ours(who) && present_.count(limit_) == 1;
  }

  [[nodiscard]] std::vector<cell> titles() const {
    std::vector<cell> out;
    for (const carrier& who : layers()) out.push_back(title(who.layer));
    for (const carrier& who : layers())
      if (beside_limit(who)) {
        out.push_back(title(who.layer + " of " + limit_.layer));
        out.push_back(title("ns longer"));
      }
    return out;
  }

  // The figures of all layers, then ours beside the limit.
  [[nodiscard]] std::vector<cell> cells(const subject& about) const {
    std::vector<cell> out;
    for (const carrier& who : layers()) {
      const row* r =
          find(from_.rows, [&](const row& x) { return x.who == who && x.about == about; });
      out.push_back(r == nullptr ? cell{} : cell{number(r->value.median), "", ""});
    }
    for (const carrier& who : layers()) {
      if (!beside_limit(who)) continue;
      const ratio* part = find(from_.ratios, [&](const ratio& x) {
        return x.who == who && x.against == limit_ && x.about == about;
      });
      const excess* longer =
          find(from_.excesses, [&](const excess& x) { return x.who == who && x.about == about; });
      out.push_back(part == nullptr ? cell{} : cell_of(part->value));
      out.push_back(longer == nullptr ? cell{} : cell_of(longer->ns));
    }
    return out;
  }

  const result& from_;
  const transport& over_;
  carrier limit_;
  std::string probe_;
  std::string form_;
  std::set<std::size_t> sizes_;
  std::set<carrier> present_;
};

}  // namespace

std::string bulk_tables(const result& from, const transport& over, bool colour) {
  std::string out;
  for (const char* probe : {"store", "get"})
    for (const char* form : {"untouched", "touched"})
      out += one_table(from, over, probe, form).text(colour);
  return out;
}

}  // namespace calib
