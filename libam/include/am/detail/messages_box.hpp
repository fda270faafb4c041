// Where handlers find a mailbox: an office for each endpoint, in it a box for each context, which
// is the number of a mailbox.
//
// A handler may not send. A fetch of a matched offer is kept until the next round (messages_round),
// which a wait of any mailbox makes, or a posted function, whichever comes first.
#pragma once

#include <am/detail/messages_state.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace am::detail::messages {

struct office;

/// An answer that is due to another rank: a request, as no handler of its message runs any more.
struct debt {
  rank_id to;
  std::uint64_t sender;
  outcome how;
  bool is_of_offer;
};

/// One rank's part of a mailbox.
struct box {
  box(office& in, am_ep* endpoint, std::uint16_t number, std::uint8_t of_context,
      std::vector<rank_id> ranks, rank_id mine, am::messages::limits of)
      : at(in),
        ep(endpoint),
        context(number),
        generation(of_context),
        members(std::move(ranks)),
        me(mine),
        most(of),
        numbers(am_ep_ranks(endpoint), any_source),
        pairs(am_ep_ranks(endpoint)) {
    for (rank_id i = 0; i < members.size(); ++i) numbers[members[i]] = i;
  }
  box(const box&) = delete;
  box& operator=(const box&) = delete;

  /// For a status: the job's rank in the mailbox's numbers.
  [[nodiscard]] rank_id number_of(rank_id job_rank) const noexcept {
    return job_rank == any_source ? any_source : numbers[job_rank];
  }
  [[nodiscard]] bool has_member(rank_id job_rank) const noexcept {
    return numbers[job_rank] != any_source;
  }
  [[nodiscard]] bool is_dead(rank_id job_rank) const noexcept {
    return job_rank != any_source && pairs[job_rank].is_dead;
  }
  /// What has been matched is returned to its sender in pieces of this.
  [[nodiscard]] std::size_t return_at() const noexcept { return most.kept / 16; }

  office& at;
  am_ep* const ep;
  const std::uint16_t context;
  const std::uint8_t generation;       // how often the context has been used: a late message of an
                                       // earlier mailbox has another one
  const std::vector<rank_id> members;  // ranks of the job
  const rank_id me;                    // in the mailbox's numbers
  const am::messages::limits most;
  std::vector<rank_id> numbers;  // by rank of the job; any_source: not a member
  std::vector<pair> pairs;       // by rank of the job
  matcher match;
  operation_pool operations;
  std::size_t used = 0;     // operations that are not free
  std::size_t unended = 0;  // of them, those that are not done
  bool is_closing = false;  // takes no messages any more
  bool is_closed = false;   // the mailbox has ended; the last request ends the box

  // For the next round.
  operation* first_fetch = nullptr;
  operation* last_fetch = nullptr;
  std::deque<debt> debts;
  std::vector<rank_id> backlog;  // ranks with sends that wait
};

/// A call that another thread has handed over: on the stack of that thread.
struct handed {
  void (*run)(handed& self) noexcept;
};

/// With AM_PROGRESS=thread: the owner of the endpoint, and what other threads wait for.
struct progress_thread {
  std::thread runs;
  std::atomic<bool> may_run = false;      // `runs` names it
  std::atomic<bool> owns = false;         // it has taken the endpoint over
  bool stops = false;                     // changed by a handed call
  std::atomic<std::uint32_t> events = 0;  // goes up with all that a call may wait for

  void note_event() noexcept {
    // SYNC(event): with the acquire in wait_for_event. What has happened before is seen there.
    events.fetch_add(1, std::memory_order_release);
    events.notify_all();
  }
  void add(handed& call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(&call);
  }
  [[nodiscard]] bool has_calls() {
    const std::lock_guard lock(mutex_);
    return !calls_.empty();
  }
  /// Makes the calls that have been handed over, outside of every call of libam's.
  void make_calls() {
    std::vector<handed*> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(calls_);
    }
    for (handed* const one : now) one->run(*one);
  }

 private:
  std::mutex mutex_;
  std::vector<handed*> calls_;
};

inline constexpr std::size_t most_boxes = 1024;

/// Contexts, a bit each: those that a rank does not use.
struct free_contexts {
  std::array<std::uint64_t, most_boxes / 64> bits = [] {
    std::array<std::uint64_t, most_boxes / 64> all{};
    all.fill(~std::uint64_t{0});
    return all;
  }();

  void mark(std::uint16_t context, bool is_free) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << context % 64;
    bits[context / 64] = is_free ? bits[context / 64] | bit : bits[context / 64] & ~bit;
  }
  /// most_boxes: none is free.
  [[nodiscard]] std::size_t lowest() const noexcept {
    std::size_t at = 0;
    while (at < bits.size() && bits[at] == 0) ++at;
    if (at == bits.size()) return most_boxes;
    return at * 64 + static_cast<std::size_t>(std::countr_zero(bits[at]));
  }
};

/// The boxes of an endpoint. It is never destroyed, as the address of an am_ep is never used again.
struct office {
  explicit office(am_ep* of) noexcept : ep(of) {}

  am_ep* const ep;
  std::vector<box*> boxes;  // by context
  free_contexts free;
  std::array<std::uint32_t, most_boxes> generations{};  // by context: the next one
  rank_id deaths_known = 0;
  bool has_work = false;                      // for the next round
  void (*posted_round)(void* all) = nullptr;  // run_posted_round, since the first mailbox
  bool is_posted = false;                     // a function that makes a round
  unsigned waits = 0;                         // of mailboxes, which make rounds
  std::unique_ptr<progress_thread> thread;    // AM_PROGRESS=thread: the owner while a box exists

  [[nodiscard]] box* find(std::uint16_t context) const noexcept {
    return context < boxes.size() ? boxes[context] : nullptr;
  }
  [[nodiscard]] bool is_empty() const noexcept {
    return std::ranges::all_of(boxes, [](const box* one) { return one == nullptr; });
  }
  void add(box& one) {
    if (one.context >= boxes.size()) boxes.resize(one.context + std::size_t{1});
    boxes[one.context] = &one;
    free.mark(one.context, false);
  }
  void remove(const box& one) noexcept {
    boxes[one.context] = nullptr;
    free.mark(one.context, true);
  }
};

inline office& find_office(am_ep* ep) {
  static std::mutex mutex;
  static auto& offices = *new std::map<am_ep*, office>;
  const std::lock_guard lock(mutex);
  return offices.try_emplace(ep, ep).first->second;
}
inline office& office_of(am_ep* ep) {
  thread_local am_ep* last = nullptr;
  thread_local office* found = nullptr;
  if (ep != last) {
    found = &find_office(ep);
    last = ep;
  }
  return *found;
}

}  // namespace am::detail::messages
