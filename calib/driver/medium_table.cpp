#include <calib/driver/medium_table.hpp>

#include <calib/driver/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <set>

namespace calib {
namespace {

// One form: sizes down, layers across, then ours beside the best of the others.
class one_table {
 public:
  one_table(const result& from, const transport& over, std::string form)
      : from_(from), over_(over), form_(std::move(form)) {
    for (const row& r : from.rows)
      if (r.who.transport == over.name && r.about.probe == "medium" && r.about.form == form_) {
        sizes_.insert(r.about.bytes);
        present_.insert(r.who);
      }
  }

  [[nodiscard]] std::string text(bool colour) const {
    if (sizes_.empty()) return {};
    grid out(colour);
    out.add("", titles(), true);
    for (const std::size_t bytes : sizes_)
      out.add(size_text(bytes), cells({"medium", form_, bytes}));
    return format("\nMediums over {}, {}, every line packed and read: ns a message\n\n{}",
                  over_.medium, form_ == "oneway" ? "one way" : "both ways at once", out.text());
  }

 private:
  [[nodiscard]] std::vector<carrier> layers() const {
    std::vector<carrier> out;
    for (const carrier& who : carriers())
      if (present_.count(who) == 1) out.push_back(who);
    return out;
  }

  [[nodiscard]] bool beside_others(const carrier& who) const {
    return is_ours(who) && present_.size() > 1;
  }

  [[nodiscard]] std::vector<cell> titles() const {
    std::vector<cell> out;
    for (const carrier& who : layers()) out.push_back(title(who.layer));
    for (const carrier& who : layers())
      if (beside_others(who)) out.push_back(title(who.layer + " of the best peer"));
    return out;
  }

  [[nodiscard]] std::vector<cell> cells(const subject& about) const {
    std::vector<cell> out;
    for (const carrier& who : layers()) {
      const auto r = std::ranges::find_if(
          from_.rows, [&](const row& x) { return x.who == who && x.about == about; });
      out.push_back(r == from_.rows.end() ? cell{} : cell_of(r->value));
    }
    for (const carrier& who : layers())
      if (beside_others(who)) out.push_back(beside_best(who, about));
    return out;
  }

  // The best peer is the one in whose times we take longest.
  [[nodiscard]] cell beside_best(const carrier& who, const subject& about) const {
    const ratio* worst = nullptr;
    for (const ratio& x : from_.ratios)
      if (x.who == who && x.about == about &&
          (worst == nullptr || x.value.median > worst->value.median))
        worst = &x;
    if (worst == nullptr) return {};
    cell out = cell_of(worst->value);
    out.interval += (out.interval.empty() ? "of " : "  of ") + worst->against.layer;
    return out;
  }

  const result& from_;
  const transport& over_;
  std::string form_;
  std::set<std::size_t> sizes_;
  std::set<carrier> present_;
};

}  // namespace

std::string medium_tables(const result& from, const transport& over, bool colour) {
  return one_table(from, over, "oneway").text(colour) +
         one_table(from, over, "bothways").text(colour);
}

}  // namespace calib
