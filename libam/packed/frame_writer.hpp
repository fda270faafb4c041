// The sending half of a pair of ranks over frames: it takes messages and makes frames. It does not
// depend on a network. It tells its owner when the open frame has to leave; the owner closes it
// then, and carries frames in order and each once.
#pragma once

#include <libam/packed/account.hpp>
#include <libam/packed/unanswered.hpp>
#include <libam/seam/inbox.hpp>
#include <libam/seam/transport.hpp>
#include <libam/wire/packer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace am::detail::packed {

class frame_writer final : public seam::return_path {
 public:
  // At most `window` requests may be unanswered. Frames of `full_frame` bytes leave; their last
  // message may have made them longer. `fixed_check`: the value in the place of the check
  // (wire/packer.hpp). Throws std::bad_alloc.
  frame_writer(seam::sender_credits& credits, std::uint32_t window, std::size_t full_frame,
               std::optional<std::uint32_t> fixed_check, wire::payload_sizes payloads);

  // ---- requests, each with a credit that core has taken ----
  // True: the open frame has to leave now. It is full, or no other request is unanswered, so that
  // waiting would only delay this one. Otherwise it waits for more messages, at the longest until
  // the next poll.

  [[nodiscard]] bool request(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                             am_word w3) noexcept {
    wire::message one = of_words(wire::message_kind::request, handler, w0, w1, w2, w3);
    unanswered_.add(handler, one.words);
    return add_request(one);
  }
  [[nodiscard]] bool medium(std::uint32_t handler, const am_word* words, const void* data,
                            std::size_t bytes) noexcept;
  // With room for its answer.
  [[nodiscard]] bool request_with_room(std::uint32_t handler, const am_word* words,
                                       const void* data, std::size_t bytes,
                                       std::uint32_t room) noexcept;
  [[nodiscard]] bool notice(std::uint32_t handler, const am_word* words, const void* where,
                            std::size_t bytes) noexcept;

  // ---- answers: they leave when what has come is handled ----

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override;
  // A payload joins the open frame, which is not full when a handler runs: so it needs no room
  // beside that which the requester has taken.
  void answer(const seam::answer& one) noexcept override;
  // A request of the peer had no answer.
  void count_silent() noexcept { silent_.add(1); }
  // The peer has no credit left: it waits for the count of such requests.
  void note_credit_request() noexcept { credit_requested_ = true; }

  // ---- messages behind which the frame has to leave ----

  // `bytes` follow the frame, for the address `where`.
  void piece(std::uint64_t where, std::size_t bytes) noexcept;
  void goodbye() noexcept;

  // ---- the open frame ----

  [[nodiscard]] bool has_messages() const noexcept { return packer_.has_messages(); }
  // The frame has to leave before another message is added.
  [[nodiscard]] bool is_full() const noexcept { return packer_.full(); }
  // No frame has counted some silent requests yet.
  [[nodiscard]] bool has_unpublished() const noexcept { return silent_.has_unpublished(); }
  // After what has come is handled: is there an answer, or a count that must not wait?
  [[nodiscard]] bool has_to_answer() const noexcept {
    return has_messages() || ((credit_requested_ || silent_.due()) && has_unpublished());
  }
  // Closes the frame; one without messages carries its counter alone. As wire::packer::close.
  std::span<const std::byte> close() noexcept {
    mark_silent_published();
    return packer_.close(silent_.value());
  }
  // The message of the open frame, if that is one request or reply of words alone, and at most one
  // silent request is unpublished: it may go without the frame.
  struct lone {
    wire::message_kind kind;
    bool has_silent;  // reports one more silent request
    std::uint16_t handler;
    std::span<const std::byte> words;
  };
  [[nodiscard]] std::optional<lone> lone_message() const noexcept {
    const std::uint32_t unpublished = silent_.unpublished();
    const auto one = packer_.lone_message();
    if (!one || unpublished > 1) return std::nullopt;
    return lone{one->kind, unpublished == 1, one->handler, one->words};
  }
  // The lone message goes without the frame, and takes its number. Its words are valid until the
  // next message is added.
  void close_without_frame() noexcept {
    mark_silent_published();
    packer_.close_without_frame();
  }
  // As wire::packer::take_buffer.
  wire::packer::buffer take_buffer() { return packer_.take_buffer(); }

  // The peer has received a frame that leaves now when this number of requests is answered: one of
  // them goes behind the frame, and they are handled in the order of their frames.
  [[nodiscard]] std::uint64_t answered_once_received() const noexcept {
    return account_.sent() + 1;
  }
  [[nodiscard]] std::uint64_t answered() const noexcept { return account_.completed(); }

  // ---- the end ----

  // Nothing leaves any more: there is no open frame, and requests are kept for fail_pending().
  void end() noexcept { ended_ = true; }
  // Reports all unanswered requests, oldest first. `may_have_run`: there was a connection.
  void fail_pending(seam::failure_sink& sink, am_rank peer, bool may_have_run) noexcept;
  // Their places, for stall reports and for am-info.
  [[nodiscard]] seam::request_ring request_ring_view() const noexcept {
    return unanswered_.request_ring_view();
  }

 private:
  static wire::message of_words(wire::message_kind kind, std::uint32_t handler, am_word w0,
                                am_word w1, am_word w2, am_word w3) noexcept {
    wire::message one;  // members that such a message does not use are not written
    one.kind = kind;
    one.credit_requested = false;
    one.handler = static_cast<std::uint16_t>(handler);
    one.words[0] = w0;
    one.words[1] = w1;
    one.words[2] = w2;
    one.words[3] = w3;
    return one;
  }
  bool add_request(wire::message& one) noexcept {
    if (ended_) [[unlikely]]
      return false;
    one.credit_requested = account_.has_no_credit();
    packer_.add(one);
    return packer_.full() || account_.unanswered() == 1;
  }
  void add(const wire::message& one) noexcept;
  // What leaves carries the count of all silent requests.
  void mark_silent_published() noexcept {
    silent_.mark_published();
    credit_requested_ = false;
  }

  account account_;
  wire::packer packer_;
  unanswered_requests unanswered_;
  seam::batched_counter silent_;
  bool credit_requested_ = false;  // the peer waits for silent_
  bool ended_ = false;
};

}  // namespace am::detail::packed
