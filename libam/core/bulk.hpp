// Bulk data of this rank: the calls it has made, what it owes to calls of others, and what runs
// when a call has ended. Here is when each of them is tried again.
//
// Where no transport reaches the other side's memory, data goes in messages: requests to handlers
// of libam's own (bulk_handlers.hpp).
//   store    "piece" … "piece" "store": the last one has the notice and the rest of the bytes
//   get      "get" there; "got" … "got" come back as the other side finds credits, or one "got"
//            that tells of bytes which a stream has brought; or "get failed"
//   atomic   "atomic" there; its reply is "atomic done" or "atomic failed"
#pragma once

#include <libam/core/bulk_caller.hpp>
#include <libam/core/bulk_server.hpp>

namespace am::detail::core {

class bulk {
 public:
  bulk(dispatcher& messages, callbacks& told, peers& to, transport_set& transports,
       poll_clock& clock)
      : clock_(clock),
        peers_(to),
        by(to, clock),
        own(transports),
        ended(messages, told),
        made(messages, to, by, own, ended),
        served(messages, to, by, own) {}

  // To be done before messages are looked for.
  [[nodiscard]] bool has_work() const noexcept { return !ended.empty() || own.has_abandoned(); }
  // Says how many completions have run.
  unsigned work(unsigned budget) noexcept {
    if (own.has_abandoned()) own.free_abandoned();
    return ended.run(budget);
  }

  // Something waits for credits, for room or for a way.
  [[nodiscard]] bool has_waiting() const noexcept {
    return served.owes() || !made.pending().waited_for().empty();
  }
  // Sends what it can without waiting: answers first, then calls.
  void send_what_waits() noexcept {
    by.next_round();
    served.pay();
    made.begin_waiting();
  }

  // One look at what has come. A caller in a flood has many, and may never poll: what waits goes
  // with the credits that they bring home.
  void look(am_rank with) noexcept {
    peers_.port(with).look();
    send_behind_look();
  }
  void send_behind_look() noexcept {
    if (has_waiting()) [[unlikely]]
      send_now_and_then();
  }
  // The next look tries at once. What waits has not been tried, so no sign of a transport follows.
  void try_in_next_look() noexcept {
    looks_to_pass_ = 0;
    clock_.note_unannounced();
  }

  // A transport has ended a transfer.
  void transferred(seam::transfer& one) noexcept {
    if (one.number == of_an_answer)
      served.transferred(one);
    else
      made.transferred(one);
  }
  // Is this memory known to be mapped, for what comes from `rank`?
  [[nodiscard]] bool expects(am_rank rank, const void* where, std::size_t bytes) const noexcept {
    return own.own(where, bytes) || made.pending().asks_into(rank, where, bytes);
  }

  // Nothing is on its way, and nothing has to run.
  [[nodiscard]] bool settled() const noexcept {
    return ended.empty() && !served.owes() && made.pending().empty();
  }

  void give_back_memory() noexcept {
    by.give_back_memory();
    ended.clear();
    made.give_back_memory();
    served.give_back_memory();
  }

 private:
  // A try may be a call of the system, or first contact: looks that are to cost nothing make few of
  // them in vain. What a look has brought that is passed over gives no sign any more.
  [[gnu::noinline]] void send_now_and_then() noexcept {
    constexpr unsigned looks_between_tries = 32;
    if (looks_to_pass_ != 0) {
      --looks_to_pass_;
      return clock_.note_unannounced();
    }
    send_what_waits();
    if (has_waiting() && !served.can_pay()) looks_to_pass_ = looks_between_tries;
  }

  poll_clock& clock_;
  peers& peers_;
  unsigned looks_to_pass_ = 0;  // before the next round in one

 public:
  sender by;
  segments own;
  completion_queue ended;
  bulk_caller made;
  bulk_server served;
};

}  // namespace am::detail::core
