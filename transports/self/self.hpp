// A rank's messages to itself: two queues in private memory. A request is queued, so no call runs
// the handler of the message that it sends.
#pragma once

#include <libam/seam/plain.hpp>
#include <libam/wire/payload_room.hpp>

#include <optional>
#include <vector>

namespace am::detail::self {

// A queue of fixed capacity; the credits keep it from overflowing.
class queue {
 public:
  struct message {
    am_word words[AM_WORDS];
    std::uint32_t handler;
    am_status reason;  // not AM_OK: a returned request
    const std::byte* data;
    std::size_t bytes;
    std::uint32_t payload_end;
    bool has_payload_room;  // its data is in the room for payload
    // The room of the request, or of the request that this answers.
    std::optional<seam::answer_place> room{};
    seam::answer::form form{};  // of an answer to a request with room
  };

  explicit queue(std::uint32_t capacity) : messages_(capacity) {}
  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
  [[nodiscard]] const message& front() const noexcept { return messages_[first_ % capacity()]; }
  void pop() noexcept { ++first_; }
  void push(const message& m) noexcept { messages_[last_++ % capacity()] = m; }

 private:
  [[nodiscard]] std::size_t capacity() const noexcept { return messages_.size(); }

  std::vector<message> messages_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

class self_transport final : public seam::plain_transport,
                             private seam::plain_port,
                             private seam::return_path {
 public:
  explicit self_transport(const seam::transport_context& context);

  [[nodiscard]] std::string_view name() const noexcept override { return "self"; }
  [[nodiscard]] std::vector<std::byte> address() const override { return {}; }
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities caps() const noexcept override { return route_caps(); }
  unsigned poll(unsigned budget) noexcept override;
  void advance() noexcept override {}
  [[nodiscard]] bool has_come(am_rank, seam::message_class which) noexcept override {
    return !(which == seam::message_class::request ? requests_ : replies_).empty();
  }
  unsigned deliver_from(am_rank, seam::message_class which, unsigned most) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override { return payloads_.max_medium(); }
  am_status flush() noexcept override { return AM_OK; }
  std::chrono::nanoseconds arm() noexcept override {
    const bool nothing = requests_.empty() && replies_.empty();
    return nothing ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::zero();
  }

 private:
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  am_status make_answer_room(std::size_t bytes) noexcept override;
  void poll_once() noexcept override { (void)poll(poll_once_budget); }
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override;
  seam::transfer_status get(seam::transfer& one) noexcept override;
  void refresh_credits() noexcept override {}
  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override;
  void answer(const seam::answer& one) noexcept override;
  seam::transfer_status place(void* where, const void* data, std::size_t bytes) noexcept override;

  am_status copy_payload(queue::message& one, const void* data, std::size_t bytes) noexcept;
  unsigned run_requests(unsigned most) noexcept;
  unsigned run_replies(unsigned most) noexcept;
  void run_request() noexcept;
  void run_reply() noexcept;

  static constexpr unsigned poll_once_budget = 8;

  seam::inbox& arrivals_;
  queue requests_;
  queue replies_;
  const wire::payload_sizes payloads_;
  wire::payload_room room_;
  std::vector<std::byte> payload_;  // empty before the first payload
  std::vector<std::byte> answers_;  // the room for the payload of answers; it may move
};

seam::make_transport_fn make;

}  // namespace am::detail::self
