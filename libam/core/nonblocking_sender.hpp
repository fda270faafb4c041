// Sends without waiting, with a credit if there is one, and notes which tries were in vain.
#pragma once

#include <libam/base/zeroed_array.hpp>
#include <libam/core/answer_rooms.hpp>
#include <libam/core/peers.hpp>
#include <libam/core/release_memory.hpp>

namespace am::detail::core {

class nonblocking_sender {
 public:
  nonblocking_sender(peers& peers, poll_clock& clock)
      : rooms(peers.ranks()), peers_(peers), clock_(clock), deferred_(peers.ranks()) {}

  // Makes contact if there is none, and reads new credits if none is free. Again: not now.
  am_status find_credit(am_rank to);
  // Reads credits that have come back without a message.
  void refresh_credits(seam::port& port) noexcept;

  am_status request(am_rank to, const am_handler& handler, am_word w0, am_word w1 = 0,
                    am_word w2 = 0, am_word w3 = 0);
  am_status medium(am_rank to, const am_handler& handler, const void* data, std::size_t bytes,
                   const am_word* words);
  // With room for an answer of `room` bytes. Throws std::bad_alloc.
  am_status send_with_room(am_rank to, const am_handler& handler, const void* data,
                           std::size_t bytes, std::size_t room, const am_word* words);

  // The credit of what has not been sent. The port of a dead rank takes none back.
  void put_back_credit(am_rank to) noexcept {
    if (!peers_.is_dead(to)) peers_.port(to).credits.put_back();
  }
  // The credit of a put that was under way and has ended without its notice.
  void put_back_held_credit(am_rank to) noexcept {
    if (!peers_.is_dead(to)) peers_.port(to).credits.put_back_held();
  }

  // ---- what waits is tried in rounds; what was tried in vain is deferred to the next round ----
  void next_round() noexcept { ++round_; }
  // As find_credit(), but a rank without a credit is deferred.
  am_status find_credit_or_defer(am_rank to);
  // Defers all that waits for that rank, or, where room alone is missing, what has a payload: an
  // event of the transport, or the clock's note, follows a try in vain. Returns `why`.
  am_status defer(am_rank to, am_status why) noexcept {
    (why == AM_AGAIN_PAYLOAD ? deferred_[to].payload : deferred_[to].all) = round_;
    return why;
  }
  [[nodiscard]] bool is_deferred(am_rank to) const noexcept { return deferred_[to].all == round_; }
  [[nodiscard]] bool is_payload_deferred(am_rank to) const noexcept {
    return is_deferred(to) || deferred_[to].payload == round_;
  }

  void release_memory() noexcept {
    free_containers(deferred_);
    rooms.release_memory();
  }

  // Room that requests have taken for their answers.
  answer_rooms rooms;

 private:
  // The message has not been sent.
  am_status on_refused(am_rank to, am_status why) noexcept;
  void count_medium(am_rank to, std::size_t bytes) noexcept;

  peers& peers_;
  poll_clock& clock_;
  std::uint64_t round_ = 1;
  // The last round in which a try was in vain.
  struct last_rounds {
    std::uint64_t all = 0;
    std::uint64_t payload = 0;
  };
  base::zeroed_array<last_rounds> deferred_;  // by rank
};

}  // namespace am::detail::core
