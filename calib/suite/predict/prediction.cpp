#include <calib/suite/predict/prediction.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/suite/sensitivity/sensitivity.hpp>

#include <algorithm>

namespace calib::suite {
namespace {

// What a cost of `value` adds where up to `least` it adds nothing: between the points that were
// measured on straight lines, behind the last one in proportion to it.
range added_at(const dial_response& measured, double least, double value) {
  if (value <= least) return {};
  dial_response::point before{least, {}};
  for (const dial_response::point& next : measured.points) {
    if (next.value <= least) continue;
    if (value <= next.value) {
      const double part = (value - before.value) / (next.value - before.value);
      return before.added * (1 - part) + next.added * part;
    }
    before = next;
  }
  if (before.value <= least) return {};
  return before.added * ((value - least) / (before.value - least));
}

range added_at(const model& by, double base, double value) {
  const double least = by.least(base, value) - base;
  const double most = by.most(base, value) - base;
  return {(least + most) / 2, least, most};
}

class predictor {
 public:
  predictor(const studied_program& of, double base) : of_(of), out_{of.entry, base, {}, {}} {}

  // Of what adds to the time in proportion.
  void add_slope(const char* cost, const char* both_ends, double change) {
    if (const auto* const alone = dial(cost))
      return add(cost, alone->slope.at_least(0) * change, true);
    const double by_model = slope_by_model(cost);
    const auto* const both = dial(both_ends);
    const double of_both = both == nullptr ? 0 : slope_by_model(both_ends);
    if (of_both > 0)
      return add(cost, both->slope.at_least(0) * (by_model / of_both * change), true);
    add(cost, range::exactly(by_model * change), false);
  }

  // Of what may pass while the program computes, and adds nothing up to `here`, nor what it has up
  // to `hidden`. `saved`: by how much it is less there than here.
  void add_curve(const char* cost, double here, double hidden, double there, double saved) {
    const auto* const measured = dial(cost);
    const model by = model_of(cost, of_.load, form_of(of_.entry));
    if (saved > 0) return add(cost, {0, -by.slope * saved, 0}, false);
    if (there <= hidden) return add(cost, {}, measured != nullptr);
    const auto at = [&](double value) {
      return measured != nullptr ? added_at(*measured, here, value)
                                 : added_at(by, out_.base, value);
    };
    add(cost, (at(there) - at(hidden)).at_least(0), measured != nullptr);
  }

  prediction result() {
    out_.there = range::exactly(out_.base);
    for (const prediction::part& one : out_.parts) out_.there = out_.there + one.added;
    out_.there = out_.there.at_least(0);
    return out_;
  }

 private:
  [[nodiscard]] const dial_response* dial(const char* name) const {
    const auto found = of_.dials.find(name);
    return found == of_.dials.end() ? nullptr : &found->second;
  }
  [[nodiscard]] double slope_by_model(const char* cost) const {
    return model_of(cost, of_.load, form_of(of_.entry)).slope;
  }
  void add(const char* cost, const range& added, bool measured) {
    out_.parts.push_back({cost, added, measured});
  }

  const studied_program& of_;
  prediction out_;
};

// From which gap on it is the network that sets the pace there.
double unseen_gap(const costs& here, const costs& there) { return std::max(here.g, there.pace()); }

}  // namespace

prediction predict(const studied_program& of, double base, const costs& here, const costs& there) {
  predictor out(of, base);
  out.add_slope("o_s", "o", there.o_s - here.o_s);
  out.add_slope("o_r", "o", there.o_r - here.o_r);
  out.add_slope("L", "L", there.L - here.L);
  out.add_curve("g", here.g, unseen_gap(here, there), there.g,
                here.g - std::max(here.pace(), there.g));
  out.add_curve("G", here.G, here.G, there.G, here.G - there.G);
  return out.result();
}

costs dialled_costs(const costs& here, const costs& there) {
  costs out{std::max(here.o_s, there.o_s), std::max(here.o_r, there.o_r), std::max(here.L, there.L),
            std::max(here.g, there.g), std::max(here.G, there.G)};
  // Nor does a gap that is shorter than what a dialled message takes by itself (docs/dials.md).
  constexpr double dialled_message = 500;
  if (out.g <= std::max(unseen_gap(here, out), dialled_message)) out.g = here.g;
  return out;
}

std::string dials_for(const costs& here, const costs& there) {
  const costs dialled = dialled_costs(here, there);
  std::string out;
  const auto add = [&](const char* name, double costs::*cost, double least) {
    const double more = dialled.*cost - here.*cost;
    if (more >= least)
      out += (out.empty() ? "" : ",") + dial_setting(name, is_added(name) ? more : dialled.*cost);
  };
  // Less than this is noise of the profiles.
  constexpr double least = 1;
  constexpr double least_byte = 0.001;
  add("o_s", &costs::o_s, least);
  add("o_r", &costs::o_r, least);
  add("L", &costs::L, least);
  add("g", &costs::g, least);
  add("G", &costs::G, least_byte);
  return out;
}

}  // namespace calib::suite
