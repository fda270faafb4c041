// The queue is Boost.Lockfree's, with all its places made at once. Beside it stands one word, which
// both sides change by exchanges: so either the owner finds what was put in, or who put it in finds
// the owner asleep.
#include <libam/base/error.hpp>
#include <libam/core/post_box.hpp>
#include <libam/core/sleeper.hpp>

#include <sched.h>
#include <boost/lockfree/queue.hpp>

namespace am::detail::core {

struct post_box::queue {
  boost::lockfree::queue<posted, boost::lockfree::fixed_sized<true>> all{places};
};

post_box::post_box(sleeper& owner) : owner_(owner), queue_(std::make_unique<queue>()) {}
post_box::~post_box() = default;

am_status post_box::put(posted what) noexcept {
  // SYNC(visitor): with shut. Who is counted before the box is shut is waited for.
  const bool is_closed = (visitors_.fetch_add(1, std::memory_order_acq_rel) & closed) != 0;
  const am_status status = is_closed ? why_shut_.load(std::memory_order_relaxed) : add(what);
  // SYNC(visitor): with shut. What was put in is there.
  visitors_.fetch_sub(1, std::memory_order_release);
  return status;
}

am_status post_box::add(posted what) noexcept {
  if (!queue_->all.bounded_push(what)) return AM_AGAIN_QUEUE;
  // SYNC(posted): with take and falls_asleep. What was put in is there.
  if (word_.exchange(word::filled, std::memory_order_acq_rel) == word::asleep) owner_.ring();
  return AM_OK;
}

// The word is emptied before the queue is seen to be: what is put in after that fills it again.
bool post_box::take(posted& out) noexcept {
  if (queue_->all.pop(out)) return true;
  // SYNC(posted): with add.
  word_.exchange(word::empty, std::memory_order_acquire);
  if (!queue_->all.pop(out)) return false;
  word_.store(word::filled, std::memory_order_relaxed);
  return true;
}

bool post_box::falls_asleep() noexcept {
  word expected = word::empty;
  // SYNC(posted): with add.
  return word_.compare_exchange_strong(expected, word::asleep, std::memory_order_acq_rel) ||
         expected == word::asleep;
}

void post_box::wakes_up() noexcept {
  word expected = word::asleep;
  word_.compare_exchange_strong(expected, word::empty, std::memory_order_relaxed);
}

unsigned post_box::discard() noexcept {
  unsigned left = 0;
  for (posted one{}; queue_ != nullptr && queue_->all.pop(one);) ++left;
  queue_.reset();
  return left;
}

void post_box::shut(am_status why) noexcept {
  why_shut_.store(why, std::memory_order_relaxed);
  // SYNC(visitor): with put.
  if ((visitors_.fetch_or(closed, std::memory_order_acq_rel) & closed) != 0) return;
  while (visitors_.load(std::memory_order_acquire) != closed) ::sched_yield();
}

}  // namespace am::detail::core
