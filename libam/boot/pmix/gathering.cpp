#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/gathering.hpp>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace am::detail::pmix {

// Each says that it has come and then looks who else has: the last to say so finds all, and wakes
// them. So these words have one order for all ranks.

am_status gathering::open() {
  base::fd socket;
  if (const am_status status = base::bell::create(socket); status != AM_OK) return status;
  bell_ = base::bell(std::move(socket));
  timer_ = base::fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  news_ = base::fd(::epoll_create1(EPOLL_CLOEXEC));
  for (const int one : {bell_.descriptor(), timer_.get()}) {
    epoll_event any{EPOLLIN, {}};
    if (::epoll_ctl(news_.get(), EPOLL_CTL_ADD, one, &any) != 0)
      return base::fail(AM_RESOURCE_DESCRIPTORS, "join: nothing to be woken at a fence by: {}",
                        base::why(errno));
  }
  house_.of(self_).bell = bell_.own_name();
  return AM_OK;
}

void gathering::set_timer(std::chrono::seconds left) const noexcept {
  const itimerspec when{{}, {static_cast<time_t>(left.count()), 0}};
  (void)::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

bool gathering::has_come(std::size_t place) const noexcept {
  return house_.of(place).fences >= fences_;
}

bool gathering::all_here() const noexcept {
  for (std::size_t place = 0; place < places_; ++place)
    if (!has_come(place) && house_.of(place).dead == 0) return false;
  return true;
}

void gathering::come() noexcept {
  set_timer(patience_);
  house_.of(self_).fences = ++fences_;
  if (!all_here()) return;
  for (std::size_t place = 0; place < places_; ++place)
    if (place != self_) bell_.ring(house_.of(place).bell);
}

bool gathering::complete() {
  bell_.silence();
  if (all_here()) {
    set_timer(std::chrono::seconds(0));
    return true;
  }
  std::uint64_t expired = 0;
  if (::read(timer_.get(), &expired, sizeof expired) > 0) tell_who_is_late();
  return false;
}

// The first of those who have come does, for all. On one host a place is a rank.
void gathering::tell_who_is_late() const {
  std::vector<std::size_t> late;
  for (std::size_t place = 0; place < places_; ++place) {
    if (has_come(place)) {
      if (place < self_) return;
    } else if (house_.of(place).dead == 0) {
      late.push_back(place);
    }
  }
  base::log(base::log_level::warn,
            "{} of {} ranks have waited for {} s, in a fence or close, for all others; still to "
            "come: {}",
            places_ - late.size(), places_, patience_.count(), base::joined(late, " "));
}

}  // namespace am::detail::pmix
