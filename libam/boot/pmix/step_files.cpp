#include <libam/boot/pmix/step_files.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/sigxfsz_blocker.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

namespace am::detail::pmix {

namespace {

std::optional<unsigned> bytes_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid())
    return std::nullopt;
  return static_cast<unsigned>(found.st_size);
}

}  // namespace

step_files::step_files(const char* folder, std::string_view job, am_rank self,
                       std::vector<am_rank> ranks)
    : prefix_(folder != nullptr ? base::format("{}/am-steps-{}-", folder, job) : ""),
      self_(self),
      ranks_(std::move(ranks)) {}

std::string step_files::path_of(am_rank rank) const { return base::format("{}{}", prefix_, rank); }

am_status step_files::step() {
  ++own_steps_;
  ++taken_;
  if (prefix_.empty()) return AM_OK;
  const std::string path = path_of(self_);
  const base::sigxfsz_blocker no_sigxfsz;
  const base::fd file(::open(
      path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  const bool written = file.valid() && ::write(file.get(), "s", 1) == 1;
  const int error = errno;
  const std::optional<unsigned> bytes = bytes_of(path);
  if (!bytes) return AM_OK;
  if (!written)
    return base::fail(AM_RESOURCE_DESCRIPTORS, "join: cannot write to {}: {}", path,
                      base::errno_text(error));
  taken_ = *bytes;
  return AM_OK;
}

bool step_files::any_late() {
  if (prefix_.empty()) return false;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const std::size_t place = (last_late_ + i) % ranks_.size();
    const auto bytes = bytes_of(path_of(ranks_[place]));
    if (!bytes || *bytes >= taken_) continue;
    last_late_ = place;
    return true;
  }
  return false;
}

bool step_files::are_complete() const {
  return !prefix_.empty() && std::ranges::all_of(ranks_, [this](am_rank rank) {
    return bytes_of(path_of(rank)).has_value();
  });
}

am_status file_fence::open() {
  constexpr timespec between_looks{0, 2'000'000};
  const itimerspec when{between_looks, between_looks};
  timer_ = base::fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (timer_.valid() && ::timerfd_settime(timer_.get(), 0, &when, nullptr) == 0) return AM_OK;
  return base::fail(AM_RESOURCE_DESCRIPTORS, "join: timerfd: {}", base::errno_text(errno));
}

bool file_fence::try_complete() const {
  std::uint64_t expired = 0;
  (void)::read(timer_.get(), &expired, sizeof expired);
  return !steps_.any_late();
}

}  // namespace am::detail::pmix
