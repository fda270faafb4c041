// Which figures of two profiles can be compared: those of a condition that both have, or those of
// all samples at once; never one with the other.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calib {

// The figures of a layer of both, and why they say nothing of each other; empty: they do.
struct compared_figures {
  const layer_profile* before;
  const layer_profile* after;
  std::string why_unlike;
};

class compared_conditions {
 public:
  // Both profiles outlive this.
  compared_conditions(const profile& before, const profile& after);

  // Both have conditions, and none in common.
  [[nodiscard]] bool are_apart() const;
  // What is compared, for people; empty: neither has conditions.
  [[nodiscard]] std::string text() const;
  // A layer of `before` and the same of `after`.
  [[nodiscard]] compared_figures figures_of(const layer_profile& before,
                                            const layer_profile& after) const;

 private:
  // A condition of a profile, with its figures.
  struct condition {
    line_condition is;
    const std::vector<layer_profile>* layers;
  };
  static std::vector<condition> conditions_of(const profile& of);
  static std::string lines_of(const std::vector<condition>& all);
  void find_common();

  // The figures of a layer in the common condition, or those that the profile has instead, and the
  // samples that they are of.
  struct found_figures {
    const layer_profile* is;
    std::string_view samples;
  };
  static found_figures find_figures(const layer_profile& layer, const profile& of,
                                    const condition* common);

  const profile& before_;
  const profile& after_;
  std::vector<condition> those_, these_;
  std::optional<std::pair<condition, condition>> common_;
};

}  // namespace calib
