// The job that this rank is in, and how it ends by force.
#pragma once

#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/profile/choices.hpp>
#include <libam/seam/boot.hpp>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace am::detail::core {

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
