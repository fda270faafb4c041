#include <libam/boot/pmix/node_fence.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace am::detail::pmix {

// Each rank marks its arrival and then checks who else has arrived: the last to do so finds all,
// and wakes them. That requires one order of these words for all ranks, so these accesses
// are sequentially consistent.

am_status node_fence::open() {
  base::fd socket;
  if (const am_status status = base::wakeup::create(socket); status != AM_OK) return status;
  wakeup_ = base::wakeup(std::move(socket));
  timer_ = base::fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  epoll_fd_ = base::fd(::epoll_create1(EPOLL_CLOEXEC));
  for (const int one : {wakeup_.descriptor(), timer_.get()}) {
    epoll_event any{EPOLLIN, {}};
    if (::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, one, &any) != 0)
      return base::fail(AM_RESOURCE_DESCRIPTORS, "join: no wake-ups at a fence: {}",
                        base::errno_text(errno));
  }
  node_.entry_of(self_).wakeup = wakeup_.own_name();
  return AM_OK;
}

void node_fence::set_timer(std::chrono::seconds left) const noexcept {
  const itimerspec when{{}, {static_cast<time_t>(left.count()), 0}};
  (void)::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

bool node_fence::has_arrived(std::size_t local_rank) const noexcept {
  return node_.entry_of(local_rank).fences >= fences_;
}

bool node_fence::all_arrived() const noexcept {
  for (std::size_t local_rank = 0; local_rank < local_size_; ++local_rank)
    if (!has_arrived(local_rank) && node_.entry_of(local_rank).dead == 0) return false;
  return true;
}

void node_fence::arrive() noexcept {
  set_timer(warn_after_);
  node_.entry_of(self_).fences = ++fences_;
  if (!all_arrived()) return;
  for (std::size_t local_rank = 0; local_rank < local_size_; ++local_rank)
    if (local_rank != self_) wakeup_.wake(node_.entry_of(local_rank).wakeup);
}

bool node_fence::try_complete() {
  wakeup_.clear();
  if (all_arrived()) {
    set_timer(std::chrono::seconds(0));
    return true;
  }
  std::uint64_t expired = 0;
  if (::read(timer_.get(), &expired, sizeof expired) > 0) warn_about_late_ranks();
  return false;
}

// The first of the ranks that have arrived warns, for all. In a job on one host a local rank is a
// rank.
void node_fence::warn_about_late_ranks() const {
  std::vector<std::size_t> late;
  for (std::size_t local_rank = 0; local_rank < local_size_; ++local_rank) {
    if (has_arrived(local_rank)) {
      if (local_rank < self_) return;
    } else if (node_.entry_of(local_rank).dead == 0) {
      late.push_back(local_rank);
    }
  }
  base::log(base::log_level::warn,
            "{} of {} ranks have waited for {} s, in a fence or close, for all others; still to "
            "come: {}",
            local_size_ - late.size(), local_size_, warn_after_.count(), base::joined(late, " "));
}

}  // namespace am::detail::pmix
