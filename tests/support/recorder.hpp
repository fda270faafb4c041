// Where a transport delivers in tests that step through a protocol by hand.
#pragma once

#include <libam/seam/credits.hpp>
#include <libam/seam/inbox.hpp>

#include <span>
#include <utility>
#include <vector>

namespace am_test {

// A table of three handlers that records what ran.
enum handler_id : std::uint32_t { silent = 0, asking = 1, answered = 2, missing = 3 };

class recorder final : public am::detail::seam::inbox, private am::detail::seam::news {
 public:
  struct ran {
    am_rank source;
    std::uint32_t handler;
    am_word word;
    std::size_t bytes;
    friend bool operator==(const ran&, const ran&) = default;
  };

  recorder();
  std::vector<ran> all;
  // Core's part of puts that end without their notices; null: that is somebody else's.
  am::detail::seam::sender_credits* account = nullptr;
  std::vector<am_rank> deaths;       // heard of
  std::span<const std::byte> known;  // memory that the rank's core would know
  // Answers that give room back: the bytes of each.
  std::vector<std::pair<am::detail::seam::answer::form, std::size_t>> gave_room;

 private:
  arrivals from_[128];
  static recorder& of(am_token token) { return *reinterpret_cast<recorder*>(token.ep); }
  static void record(am_token token, const am_word* words, const void* data, std::size_t bytes);
  static void answer(am_token token, const am_word* words, const void* data, std::size_t bytes);
  static void refuse(am_token token, const am_word* words, const void* data, std::size_t bytes);
  void transferred(am::detail::seam::transfer& one) noexcept override;
  void heard_of_end(am_rank peer, std::string_view why) noexcept override;
  [[nodiscard]] bool expects(am_rank peer, const void* where,
                             std::size_t bytes) const noexcept override;
  void given_back(am_status reason, const am_word* words, bool unknown) noexcept override;
  void answer_has_come(const am::detail::seam::answer& one) noexcept override;
};

}  // namespace am_test
