// What the frames of a pair of ranks do with its account of credits.
#pragma once

#include <libam/seam/credits.hpp>

#include <cstdint>

namespace am::detail::packed {

class account {
 public:
  explicit account(seam::sender_credits& credits) noexcept : credits_(credits) {}

  // True: every credit is taken.
  [[nodiscard]] bool has_no_credit() const noexcept { return credits_.free() == 0; }
  // Unanswered requests to the peer, including the one that is being sent.
  [[nodiscard]] std::uint32_t unanswered() const noexcept { return credits_.in_flight(); }

  // For a put whose notice is not sent yet.
  [[nodiscard]] bool has_held_credit() const noexcept { return credits_.held() != 0; }

  // Requests since the start: how many were sent, and how many have been answered, in the order of
  // the frames.
  [[nodiscard]] std::uint64_t sent() const noexcept { return credits_.sent(); }
  [[nodiscard]] std::uint64_t completed() const noexcept { return credits_.completed(); }

  // Is this value of the peer's counter of silent requests possible, or does it count more requests
  // than were sent?
  [[nodiscard]] bool is_valid_silent(std::uint32_t counter) const noexcept {
    return credits_.is_valid_silent(counter);
  }
  // True: there are credits again where none was free.
  bool book_silent(std::uint32_t counter) noexcept {
    const bool had_none = has_no_credit();
    credits_.book_silent(counter);
    return had_none && !has_no_credit();
  }
  void book_answers(std::uint32_t answers) noexcept { credits_.book_replies(answers); }

 private:
  seam::sender_credits& credits_;
};

}  // namespace am::detail::packed
