// The inbox of tests that step through a protocol; it records what is delivered.
#pragma once

#include <libam/seam/credits.hpp>
#include <libam/seam/inbox.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace am_test {

// The handlers of its table; each records its call.
enum handler_id : std::uint32_t { silent = 0, replying = 1, replied = 2, missing = 3 };

class recorder final : public am::detail::seam::inbox, private am::detail::seam::event_sink {
 public:
  struct handler_run {
    am_rank source;
    std::uint32_t handler;
    am_word word;
    std::size_t bytes;
    friend bool operator==(const handler_run&, const handler_run&) = default;
  };

  recorder();
  std::vector<handler_run> all;
  // The credits that puts without a notice return to; null: another object handles that.
  am::detail::seam::sender_credits* account = nullptr;
  std::vector<am_rank> deaths;       // and losses, as reported to this rank
  std::string last_loss;             // the reason of the last loss
  std::span<const std::byte> known;  // memory that this rank's core would know as mapped
  // The answers that returned payload room, with their bytes.
  std::vector<std::pair<am::detail::seam::answer::form, std::size_t>> released_rooms;

 private:
  receive_counts from_[128];
  static recorder& of(am_token token) { return *reinterpret_cast<recorder*>(token.ep); }
  static void record(am_token token, const am_word* words, const void* data, std::size_t size);
  static void answer(am_token token, const am_word* words, const void* data, std::size_t size);
  static void refuse(am_token token, const am_word* words, const void* data, std::size_t size);
  void on_transfer_end(am::detail::seam::transfer& one) noexcept override;
  void on_peer_failed(am_rank peer, std::string_view why) noexcept override;
  [[nodiscard]] bool is_known_mapped(am_rank peer, const void* where,
                                     std::size_t size) const noexcept override;
  void on_request_returned(am_status reason, const am_word* words, bool unknown) noexcept override;
  void on_answer(const am::detail::seam::answer& one) noexcept override;
};

}  // namespace am_test
