// The state of a mailbox at one rank: its members, what waits for its match, and what is left for
// the next round (messages_round.hpp).
#pragma once

#include <am/detail/messages_state.hpp>

#include <vector>

namespace am::detail::messages {

struct mailbox_registry;

/// An answer outside of the handler of its message, for which core has no room.
struct late_answer {
  rank_id to;
  std::uint64_t sender;
  outcome how;
  bool is_of_offer;
};

/// One rank's part of a mailbox.
struct mailbox_state {
  mailbox_state(mailbox_registry& in, am_ep* endpoint, std::uint16_t number,
                std::uint8_t of_context, std::vector<rank_id> ranks, rank_id mine,
                am::messages::limits of)
      : registry(in),
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
  mailbox_state(const mailbox_state&) = delete;
  mailbox_state& operator=(const mailbox_state&) = delete;

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

  mailbox_registry& registry;
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
  bool is_closed = false;   // the mailbox has ended; the last request frees this

  // For the next round.
  operation* first_fetch = nullptr;
  operation* last_fetch = nullptr;
  std::vector<late_answer> unsent_answers;
  std::vector<rank_id> backlog;  // ranks with sends that wait
};

}  // namespace am::detail::messages
