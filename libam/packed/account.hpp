// All that frames do with the account of credits of their pair.
#pragma once

#include <libam/seam/credits.hpp>

#include <cstdint>

namespace am::detail::packed {

class account {
 public:
  explicit account(seam::sender_credits& of_pair) noexcept : credits_(of_pair) {}

  // Every credit is taken.
  [[nodiscard]] bool is_used_up() const noexcept { return credits_.free() == 0; }
  // Requests to the peer that are not answered for, the one that is being sent among them.
  [[nodiscard]] std::uint32_t unanswered() const noexcept { return credits_.on_their_way(); }

  // For a put whose notice has yet to go.
  [[nodiscard]] bool is_holding() const noexcept { return credits_.held() != 0; }

  // Of all since the start, the number that the one has which is sent last; and how many are
  // answered for, in the order of the frames.
  [[nodiscard]] std::uint64_t sent() const noexcept { return credits_.sent(); }
  [[nodiscard]] std::uint64_t home() const noexcept { return credits_.home(); }

  // The peer's counter of silent requests: may it stand there, or does it count some that it has
  // not had?
  [[nodiscard]] bool may_be_silent(std::uint32_t counter) const noexcept {
    return credits_.may_be_silent(counter);
  }
  // True: there are credits again where none was free.
  bool book_silent(std::uint32_t counter) noexcept {
    const bool had_none = is_used_up();
    credits_.silent_read(counter);
    return had_none && !is_used_up();
  }
  void book_answers(std::uint32_t answers) noexcept { credits_.replies_consumed(answers); }

 private:
  seam::sender_credits& credits_;
};

}  // namespace am::detail::packed
