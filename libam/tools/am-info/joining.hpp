// How this process joins its job: by what evidence, what was tried, and what a death does there.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/boot.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::info {

struct evidence {
  std::string name;
  std::optional<std::string> value;  // none: it is not in the environment
};

struct joining {
  std::vector<evidence> environment;
  std::vector<seam::attempt> tried;  // with the empty outcome: joined by that
  am_rank rank;                      // where it has joined, else 0 of 0
  am_rank ranks;
  std::string launcher;  // empty: none
  std::string on_death;  // what becomes of the others when a rank dies
  std::string failure;   // why it could not join; empty: it has
};

// Joins as a program would. `job` stays null if that fails.
joining join_as_started(const base::settings& settings, std::unique_ptr<seam::boot>& job);

}  // namespace am::detail::info
