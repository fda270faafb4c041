// The job that this rank is in, or cannot join, and how it ends by force.
#pragma once

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/profile/choices.hpp>
#include <libam/seam/boot.hpp>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace am::detail::core {

inline am_status fail_to_join(std::string_view why) noexcept {
  return base::fail(AM_PEER_UNREACHABLE, "cannot join the job: {}", why);
}

struct membership {
  // Null: this rank has left.
  std::unique_ptr<seam::boot> job;
  std::unique_ptr<const base::settings> settings;
  profile::answers answers{};  // by which all ranks choose: rank 0 has given them

  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept {
    if (!line.empty()) base::log_line(base::log_level::error, line);
    if (job != nullptr) job->abort(exit_status, line);
    std::_Exit(exit_status);
  }
};

}  // namespace am::detail::core
