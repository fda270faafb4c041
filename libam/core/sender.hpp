// Sending without waiting: a credit if there is one, and what was tried in vain.
#pragma once

#include <libam/core/answer_rooms.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/peers.hpp>

#include <vector>

namespace am::detail::core {

class sender {
 public:
  sender(peers& to, poll_clock& clock)
      : rooms(to.ranks()), peers_(to), clock_(clock), put_off_(to.ranks()) {}

  // Makes contact if there is none, and a credit free if one has come home. Again: not now.
  am_status find_credit(am_rank to);
  // Asks for credits that have come home without a message.
  void refresh(seam::port& port) noexcept;

  am_status request(am_rank to, const am_handler& handler, am_word w0, am_word w1 = 0,
                    am_word w2 = 0, am_word w3 = 0);
  am_status medium(am_rank to, const am_handler& handler, const void* data, std::size_t bytes,
                   const am_word* words);
  // With room for an answer of `room` bytes. Throws std::bad_alloc.
  am_status with_room(am_rank to, const am_handler& handler, const void* data, std::size_t bytes,
                      std::size_t room, const am_word* words);

  // The credit of what has not been sent. Nothing has to be put back towards the dead.
  void put_back_credit(am_rank to) noexcept {
    if (!peers_.is_dead(to)) peers_.port(to).credits.put_back();
  }
  // That of a put which was under way and has ended without its notice.
  void put_back_held_credit(am_rank to) noexcept {
    if (!peers_.is_dead(to)) peers_.port(to).credits.put_back_held();
  }

  // ---- what waits is tried in rounds, and what was tried in vain not again in the same one ----
  void next_round() noexcept { ++rounds_; }
  // The same as find_credit(), but a rank without a credit is put off.
  am_status credit_now(am_rank to);
  // With all that waits for that rank, or, where room alone is missing, with what has a payload: a
  // try in vain is followed by a sign of the transport, or by the clock's note. Returns `why`.
  am_status put_off(am_rank to, am_status why) noexcept {
    (why == AM_AGAIN_PAYLOAD ? put_off_[to].payload : put_off_[to].all) = rounds_;
    return why;
  }
  [[nodiscard]] bool is_put_off(am_rank to) const noexcept { return put_off_[to].all == rounds_; }
  [[nodiscard]] bool is_payload_put_off(am_rank to) const noexcept {
    return is_put_off(to) || put_off_[to].payload == rounds_;
  }

  void give_back_memory() noexcept {
    give_back_room(put_off_);
    rooms.give_back_memory();
  }

  // What requests have taken for their answers.
  answer_rooms rooms;

 private:
  // It has not been sent.
  am_status refused(am_rank to, am_status why) noexcept;
  void count_medium(am_rank to, std::size_t bytes) noexcept;

  peers& peers_;
  poll_clock& clock_;
  std::uint64_t rounds_ = 1;
  // The last round in which a try was in vain.
  struct rounds {
    std::uint64_t all = 0;
    std::uint64_t payload = 0;
  };
  std::vector<rounds> put_off_;  // by rank
};

}  // namespace am::detail::core
