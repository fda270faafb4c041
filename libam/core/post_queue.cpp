// The queue is Boost.Lockfree's, with all its memory allocated at once. Both sides change the state
// beside it by exchanges: so either the owner finds what was put in, or the thread that put it in
// finds the owner asleep.
#include <libam/core/post_queue.hpp>

#include <libam/base/error.hpp>
#include <libam/core/sleeper.hpp>

#include <sched.h>
#include <boost/lockfree/queue.hpp>

namespace am::detail::core {

struct post_queue::queue {
  boost::lockfree::queue<posted_function, boost::lockfree::fixed_sized<true>> all{capacity};
};

post_queue::post_queue(sleeper& owner) : owner_(owner), queue_(std::make_unique<queue>()) {}
post_queue::~post_queue() = default;

am_status post_queue::put(posted_function what) noexcept {
  // SYNC(active put): with close, which waits for every put that was counted before.
  const bool is_closed = (active_puts_.fetch_add(1, std::memory_order_acq_rel) & closed_bit) != 0;
  const am_status status = is_closed ? close_reason_.load(std::memory_order_relaxed) : add(what);
  // SYNC(active put): with close. What was put in is in the queue.
  active_puts_.fetch_sub(1, std::memory_order_release);
  return status;
}

am_status post_queue::add(posted_function what) noexcept {
  if (!queue_->all.bounded_push(what)) return AM_AGAIN_QUEUE;
  // SYNC(posted): with take and begin_sleep. What was put in is in the queue.
  if (state_.exchange(state::filled, std::memory_order_acq_rel) == state::asleep) owner_.wake();
  return AM_OK;
}

// Sets `empty` before it reads the queue once more: what is put in after that sets `filled` again.
bool post_queue::take(posted_function& out) noexcept {
  if (queue_->all.pop(out)) return true;
  // SYNC(posted): with add.
  state_.exchange(state::empty, std::memory_order_acquire);
  if (!queue_->all.pop(out)) return false;
  state_.store(state::filled, std::memory_order_relaxed);
  return true;
}

bool post_queue::begin_sleep() noexcept {
  state expected = state::empty;
  // SYNC(posted): with add.
  return state_.compare_exchange_strong(expected, state::asleep, std::memory_order_acq_rel) ||
         expected == state::asleep;
}

void post_queue::end_sleep() noexcept {
  state expected = state::asleep;
  state_.compare_exchange_strong(expected, state::empty, std::memory_order_relaxed);
}

unsigned post_queue::discard() noexcept {
  unsigned left = 0;
  for (posted_function one{}; queue_ != nullptr && queue_->all.pop(one);) ++left;
  queue_.reset();
  return left;
}

void post_queue::close(am_status why) noexcept {
  close_reason_.store(why, std::memory_order_relaxed);
  // SYNC(active put): with put.
  if ((active_puts_.fetch_or(closed_bit, std::memory_order_acq_rel) & closed_bit) != 0) return;
  while (active_puts_.load(std::memory_order_acquire) != closed_bit) ::sched_yield();
}

}  // namespace am::detail::core
