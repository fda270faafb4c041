// Calls of this rank that have returned and have not ended: stores, gets, atomic operations, and
// requests for later. Those that could not begin wait, by rank, in the order in which they were
// made.
//
// A call has a number, by which messages of the other side name it. Numbers are used again.
#pragma once

#include <am/am.h>
#include <libam/core/completion.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace am::detail::core {

struct call : seam::transfer {
  enum class kind : std::uint8_t { store, get, atomic, request };
  enum class stage : std::uint8_t {
    free,
    fresh,
    waiting,    // in the queue: to begin, or to go on with the messages that carry it
    under_way,  // a transport has its bytes
    asked       // the other side has to answer
  };

  kind what;
  stage in = stage::free;
  bool held;          // somebody waits for it, and removes it
  bool has_done;      // a store: `then` is to run when its bytes may be reused
  bool for_later;     // a get: a handler has asked for it
  completion then;    // what runs at the end; of a request: what comes back
  std::size_t moved;  // bytes that have been sent in messages, or have come in them

  am_atomic_op op;
  am_word operand;
  am_word expected;

  call* behind;  // in a queue, among the gets that ask, or among the free ones
};

class calls {
 public:
  // The other side of a get remembers it, so that many at most ask the same rank at a time.
  static constexpr std::uint32_t most_asking = 256;

  // So many requests for later wait at most.
  static constexpr std::uint32_t most_later = 4096;

  explicit calls(am_rank ranks) : ranks_(ranks), asked_(ranks) {
    waited_for_.reserve(ranks);
    if (ranks != 0) add_block();
  }

  // A fresh one, of which the caller sets what the operation is. Throws std::bad_alloc.
  call& add(call::kind what, am_rank peer);
  void remove(call& one) noexcept;
  // Null for a number that no call has.
  [[nodiscard]] call* find(std::size_t number) noexcept {
    return number < size() && at(number).in != call::stage::free ? &at(number) : nullptr;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint32_t later() const noexcept { return later_; }  // requests that wait
  // Of one rank: all, stores, stores in the queue, and gets that ask.
  [[nodiscard]] std::uint32_t count(am_rank rank) const noexcept { return ranks_[rank].count; }
  [[nodiscard]] std::uint32_t stores(am_rank rank) const noexcept { return ranks_[rank].stores; }
  [[nodiscard]] std::uint32_t waiting_stores(am_rank rank) const noexcept {
    return ranks_[rank].waiting_stores;
  }
  [[nodiscard]] std::uint32_t asking(am_rank rank) const noexcept { return ranks_[rank].asking; }
  // Does a get that asks that rank, of no more than wire::most_put_in_messages bytes, put its bytes
  // there? The other side mostly answers in the order in which it was asked.
  [[nodiscard]] bool asks_into(am_rank rank, const void* where, std::size_t bytes) const noexcept;

  // Where a call stands. Of those in the queue only the first of its rank goes on.
  void set_waiting(call& one) noexcept;  // the last of its rank
  void set_under_way(call& one) noexcept { leave_queue(one, call::stage::under_way); }
  void set_asked(call& one) noexcept;

  [[nodiscard]] call* first_waiting(am_rank rank) const noexcept { return ranks_[rank].first; }
  // Ranks for which some wait.
  [[nodiscard]] const std::vector<am_rank>& waited_for() const noexcept { return waited_for_; }
  // A rank's queue is dissolved.
  void let_none_wait(am_rank rank) noexcept;

  // Visits each call of a rank.
  template <class Visit>
  void each(am_rank rank, Visit&& visit) {
    for (std::size_t number = 0; number < size(); ++number)
      if (call& one = at(number); one.in != call::stage::free && one.then.peer == rank) visit(one);
  }

 private:
  struct of_rank {
    call* first = nullptr;  // of those that wait
    call* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t stores = 0;
    std::uint32_t waiting_stores = 0;
    std::uint32_t asking = 0;
  };
  // The gets of a rank that ask, the oldest first.
  struct asked {
    call* first = nullptr;
    call* last = nullptr;
  };

  void ask(call& get) noexcept;
  [[gnu::noinline]] void end_asking(call& get) noexcept;  // a request for later has no use for it
  void leave_queue(call& one, call::stage next) noexcept;

  std::vector<of_rank> ranks_;
  std::vector<asked> asked_;  // by rank; beside the above, which requests for later look up
  std::vector<am_rank> waited_for_;
  // By number; where they are transports know.
  static constexpr std::size_t per_block = 64;
  [[nodiscard]] std::size_t size() const noexcept { return per_block * blocks_.size(); }
  [[nodiscard]] call& at(std::size_t number) const noexcept {
    return blocks_[number / per_block][number % per_block];
  }
  void add_block();

  std::vector<std::unique_ptr<call[]>> blocks_;
  call* free_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t later_ = 0;
};

// These two make a request for later, which is to cost little: for each kind of call the compiler
// leaves out what it does not need.

inline call& calls::add(call::kind what, am_rank peer) {
  if (free_ == nullptr) add_block();
  call& one = *std::exchange(free_, free_->behind);
  one.what = what;
  one.in = call::stage::fresh;
  one.at = seam::reach::under_way;
  one.released = false;
  one.at_once = false;
  one.held = false;
  one.has_done = false;
  one.moved = 0;
  one.then.peer = peer;
  one.then.reason = AM_OK;
  one.then.unknown = false;
  ++count_;
  ++ranks_[peer].count;
  ranks_[peer].stores += what == call::kind::store;
  later_ += what == call::kind::request;
  return one;
}

// Room for every rank was reserved.
inline void calls::set_waiting(call& one) noexcept {
  of_rank& rank = ranks_[one.then.peer];
  if (rank.first == nullptr) waited_for_.push_back(one.then.peer);
  (rank.first == nullptr ? rank.first : rank.last->behind) = &one;
  rank.last = &one;
  rank.waiting_stores += one.what == call::kind::store;
  one.behind = nullptr;
  one.in = call::stage::waiting;
}

}  // namespace am::detail::core
