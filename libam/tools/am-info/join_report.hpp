// How this process joins its job: the environment, what was tried, and the effect of a death.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/boot.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::info {

struct consulted_variable {
  std::string name;
  std::optional<std::string> value;  // none: it is not set
};

struct join_report {
  std::vector<consulted_variable> environment;
  std::vector<seam::attempt> tried;  // empty outcome: joined by that
  am_rank rank;                      // 0 of 0 if it has not joined
  am_rank ranks;
  std::string launcher;  // empty: none
  std::string on_death;  // what happens to the others when a rank dies
  std::string failure;   // why it could not join; empty: it has joined
};

// Joins as a program would. `job` stays null if that fails.
join_report join_and_report(const base::settings& settings, std::unique_ptr<seam::boot>& job);

}  // namespace am::detail::info
