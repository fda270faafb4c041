// The sending half of a pair of ranks over frames: it is handed messages and gives frames away. It
// knows no network. Whoever has one is told when the open frame has to leave, closes it then, and
// carries frames in order and each once.
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
#include <utility>

namespace am::detail::packed {

class frame_writer final : public seam::way_back {
 public:
  // A window of so many requests may be unanswered. Frames of `full_frame` bytes leave; one message
  // more may have made them longer. `mark`: stands in the place of the check (wire/packer.hpp).
  // Throws std::bad_alloc.
  frame_writer(seam::sender_credits& of_pair, std::uint32_t window, std::size_t full_frame,
               std::optional<std::uint32_t> mark, wire::payload_sizes payloads);

  // ---- requests, each with a credit that core has taken ----
  // True: the open frame has to leave now. It is full, or nothing else is unanswered: then this
  // one's answer would bring nothing along. Otherwise it waits for company, at the longest until
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
  [[nodiscard]] bool asking(std::uint32_t handler, const am_word* words, const void* data,
                            std::size_t bytes, std::uint32_t room) noexcept;
  [[nodiscard]] bool notice(std::uint32_t handler, const am_word* words, const void* where,
                            std::size_t bytes) noexcept;

  // ---- answers: they leave when what has come is handled ----

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override;
  // A payload joins the open frame, which is not full when a handler runs: so it needs no room but
  // that which the requester has taken.
  void answer(const seam::answer& one) noexcept override;
  // A request of the peer had no answer.
  void count_silent() noexcept { silent_.add(1); }
  // The peer has no credit left: it waits to be told of such requests.
  void hurry() noexcept { hungry_ = true; }

  // ---- what fills the frame, which has to leave with it ----

  // So many bytes follow the frame and belong at `where`.
  void piece(std::uint64_t where, std::size_t bytes) noexcept;
  void goodbye() noexcept;

  // ---- the open frame ----

  [[nodiscard]] bool has_messages() const noexcept { return packer_.has_messages(); }
  // It has to leave before another message comes.
  [[nodiscard]] bool is_full() const noexcept { return packer_.full(); }
  // There are silent requests of which no frame has told.
  [[nodiscard]] bool owes() const noexcept { return silent_.owes(); }
  // Now that what has come is handled: is there an answer, or a count that does not wait?
  [[nodiscard]] bool has_to_answer() const noexcept {
    return has_messages() || ((hungry_ || silent_.due()) && owes());
  }
  // Finished, with no message in it its counter alone. As wire::packer::close.
  std::span<const std::byte> close() noexcept {
    note_told();
    return packer_.close(silent_.value());
  }
  // What the open frame holds, if that is one request or reply of words alone, and there is at
  // most one silent request to tell of: it may go without the frame.
  struct lone {
    wire::message_kind kind;
    bool has_silent;  // tells of one more
    std::uint16_t handler;
    std::span<const std::byte> words;
  };
  [[nodiscard]] std::optional<lone> lone_message() const noexcept {
    const std::uint32_t owed = silent_.owed();
    const auto one = packer_.lone_message();
    if (!one || owed > 1) return std::nullopt;
    return lone{one->kind, owed == 1, one->handler, one->words};
  }
  // It goes without, and takes the frame's number. Its words are good until the next message.
  void close_without_frame() noexcept {
    note_told();
    packer_.close_without_frame();
  }
  // As wire::packer::exchange.
  wire::packer::room exchange(wire::packer::room other) noexcept {
    return packer_.exchange(std::move(other));
  }

  // A frame that leaves now has come to the peer when so many requests are answered for: one of
  // them goes behind it, for they are handled in the order of their frames.
  [[nodiscard]] std::uint64_t requests_that_tell() const noexcept { return account_.sent() + 1; }
  [[nodiscard]] std::uint64_t answered() const noexcept { return account_.home(); }

  // ---- the end ----

  // Nothing leaves any more: there is no open frame, and requests are kept to be given up.
  void end() noexcept { ended_ = true; }
  // All requests that are not answered for, oldest first. `may_have_run`: there was a connection.
  void give_up(seam::mourner& all, am_rank peer, bool may_have_run) noexcept;
  // Where they stand, for a reader from outside.
  [[nodiscard]] seam::request_ring exposed() const noexcept { return unanswered_.exposed(); }

 private:
  static wire::message of_words(wire::message_kind kind, std::uint32_t handler, am_word w0,
                                am_word w1, am_word w2, am_word w3) noexcept {
    wire::message one;  // what such a message does not have is not written
    one.kind = kind;
    one.hungry = false;
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
    one.hungry = account_.is_used_up();
    packer_.add(one);
    return packer_.full() || account_.unanswered() == 1;
  }
  void add(const wire::message& one) noexcept;
  // What leaves tells of all silent requests.
  void note_told() noexcept {
    silent_.published();
    hungry_ = false;
  }

  account account_;
  wire::packer packer_;
  unanswered_requests unanswered_;
  seam::owed_counter silent_;
  bool hungry_ = false;  // the peer waits for silent_
  bool ended_ = false;
};

}  // namespace am::detail::packed
