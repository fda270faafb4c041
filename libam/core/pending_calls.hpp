// Calls of this rank that have returned and have not ended: stores, gets, atomic operations, and
// requests for later. Those that could not begin wait, by rank, in the order of the calls.
//
// A call has a number, by which messages of the other side name it. Numbers are used again.
#pragma once

#include <am/am.h>
#include <libam/base/zeroed_array.hpp>
#include <libam/core/completion.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace am::detail::core {

struct pending_call : seam::transfer {
  enum class kind : std::uint8_t { store, get, atomic, request };
  enum class stage : std::uint8_t {
    free,
    fresh,
    waiting,    // in the queue: to begin, or to go on with the messages that carry it
    under_way,  // a transport has its bytes
    requested   // the other side has to reply
  };

  kind what;
  stage current_stage = stage::free;
  bool awaited;                 // a caller waits for it, and removes it
  bool has_completion;          // a store: `completion` is to run when its bytes may be reused
  bool for_later;               // a get that a handler has requested
  completion_entry completion;  // what runs at the end; of a request: what is returned
  std::size_t moved;            // bytes that have been sent in messages, or have come in them

  am_atomic_op op;
  am_word operand;
  am_word expected;

  pending_call* next_call;  // in a queue, among the requested gets, or among the free ones
};

class pending_calls {
 public:
  // The other side keeps a record of each, so their number is limited: of one rank, at one time.
  static constexpr std::uint32_t max_requested_gets = 256;

  // The most requests for later that wait.
  static constexpr std::uint32_t max_later_requests = 4096;

  explicit pending_calls(am_rank ranks) : ranks_(ranks), requested_(ranks) {
    waiting_ranks_.reserve(ranks);
    if (ranks != 0) add_block();
  }

  // A fresh call; the caller sets the operation's members. Throws std::bad_alloc.
  pending_call& add(pending_call::kind what, am_rank peer);
  void remove(pending_call& one) noexcept;
  // Null: no call has this number.
  [[nodiscard]] pending_call* find(std::size_t number) noexcept {
    return number < size() && at(number).current_stage != pending_call::stage::free ? &at(number)
                                                                                    : nullptr;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint32_t later_count() const noexcept { return later_count_; }
  // Of one rank: all, stores, stores in the queue, and requested gets.
  [[nodiscard]] std::uint32_t count(am_rank rank) const noexcept { return ranks_[rank].count; }
  [[nodiscard]] std::uint32_t stores(am_rank rank) const noexcept { return ranks_[rank].stores; }
  [[nodiscard]] std::uint32_t waiting_stores(am_rank rank) const noexcept {
    return ranks_[rank].waiting_stores;
  }
  [[nodiscard]] std::uint32_t requested_gets(am_rank rank) const noexcept {
    return ranks_[rank].requested_gets;
  }
  // Does a requested get of that rank, of at most wire::most_eager_bytes bytes, put its bytes
  // there? The other side mostly replies in the order of the requests.
  [[nodiscard]] bool has_requested_get_into(am_rank rank, const void* where,
                                            std::size_t bytes) const noexcept;

  // The stage of a call. In the queue only the first call of each rank goes on.
  void set_waiting(pending_call& one) noexcept;  // behind the others of its rank
  void set_under_way(pending_call& one) noexcept {
    leave_queue(one, pending_call::stage::under_way);
  }
  void set_requested(pending_call& one) noexcept;

  [[nodiscard]] pending_call* first_waiting(am_rank rank) const noexcept {
    return ranks_[rank].first;
  }
  // Ranks whose queue is not empty.
  [[nodiscard]] const std::vector<am_rank>& waiting_ranks() const noexcept {
    return waiting_ranks_;
  }
  // Empties a rank's queue.
  void clear_queue(am_rank rank) noexcept;

  // Visits each call of a rank.
  template <class Visit>
  void each(am_rank rank, Visit&& visit) {
    for (std::size_t number = 0; number < size(); ++number)
      if (pending_call& one = at(number);
          one.current_stage != pending_call::stage::free && one.completion.peer == rank)
        visit(one);
  }

 private:
  struct rank_calls {
    pending_call* first = nullptr;  // of the queue
    pending_call* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t stores = 0;
    std::uint32_t waiting_stores = 0;
    std::uint32_t requested_gets = 0;
  };
  // The requested gets of a rank, the oldest first.
  struct requested_list {
    pending_call* first = nullptr;
    pending_call* last = nullptr;
  };

  void add_requested(pending_call& get) noexcept;
  // Not inline: requests for later do not need it.
  [[gnu::noinline]] void remove_requested(pending_call& get) noexcept;
  void leave_queue(pending_call& one, pending_call::stage next) noexcept;

  base::zeroed_array<rank_calls> ranks_;
  base::zeroed_array<requested_list>
      requested_;  // by rank; apart from ranks_, which every call reads
  std::vector<am_rank> waiting_ranks_;
  // By number; they never move, for transports keep their addresses.
  static constexpr std::size_t per_block = 64;
  [[nodiscard]] std::size_t size() const noexcept { return per_block * blocks_.size(); }
  [[nodiscard]] pending_call& at(std::size_t number) const noexcept {
    return blocks_[number / per_block][number % per_block];
  }
  void add_block();

  std::vector<std::unique_ptr<pending_call[]>> blocks_;
  pending_call* free_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t later_count_ = 0;
};

// A request for later calls these two and is to cost little: they are inline, so that the compiler
// leaves out what a kind of call does not need.

inline pending_call& pending_calls::add(pending_call::kind what, am_rank peer) {
  if (free_ == nullptr) add_block();
  pending_call& one = *std::exchange(free_, free_->next_call);
  one.what = what;
  one.current_stage = pending_call::stage::fresh;
  one.status = seam::transfer_status::under_way;
  one.awaited = false;
  one.has_completion = false;
  if (what != pending_call::kind::request) {  // which no transport moves
    one.released = false;
    one.at_once = false;
    one.moved = 0;
  }
  one.completion.peer = peer;
  one.completion.reason = AM_OK;
  one.completion.unknown = false;
  ++count_;
  ++ranks_[peer].count;
  ranks_[peer].stores += what == pending_call::kind::store;
  later_count_ += what == pending_call::kind::request;
  return one;
}

// The constructor has reserved room for every rank in waiting_ranks_.
inline void pending_calls::set_waiting(pending_call& one) noexcept {
  rank_calls& rank = ranks_[one.completion.peer];
  if (rank.first == nullptr) waiting_ranks_.push_back(one.completion.peer);
  (rank.first == nullptr ? rank.first : rank.last->next_call) = &one;
  rank.last = &one;
  rank.waiting_stores += one.what == pending_call::kind::store;
  one.next_call = nullptr;
  one.current_stage = pending_call::stage::waiting;
}

}  // namespace am::detail::core
