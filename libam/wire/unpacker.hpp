// Parses frames, whatever the bytes are: nothing outside them is read, and each result is what a
// packer could have written, or an error.
#pragma once

#include <libam/wire/frame.hpp>

#include <optional>
#include <span>
#include <string>

namespace am::detail::wire {

class unpacker {
 public:
  enum class parse_result { incomplete, frame, error };

  // `fixed_check`: what the packer puts in the place of the check. `payloads`: as all ranks of the
  // job have them; no peer may make this rank wait for a longer frame.
  explicit unpacker(std::optional<std::uint32_t> fixed_check = std::nullopt,
                    payload_sizes payloads = payload_sizes()) noexcept
      : fixed_check_(fixed_check), payloads_(payloads) {}

  // Parses the beginning of `bytes`, which are aligned as frames are. incomplete: call it again
  // when needed() bytes are there. frame: next() returns its messages, and it ends after
  // frame_bytes(). It must stay in place until all of them are taken; only then may the next frame
  // begin.
  parse_result begin_frame(std::span<const std::byte> bytes) noexcept;

  // The same frame is at `to` now.
  void relocate_frame(const std::byte* to) noexcept { frame_ = {to, frame_.size()}; }

  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return frame_.size(); }
  // The number of the frame that is due next.
  [[nodiscard]] std::uint32_t sequence() const noexcept { return sequence_; }
  // The number of a frame of which at least frame_header_bytes are there.
  static std::uint32_t number_of(const std::byte* frame) noexcept;
  // Its counter.
  static std::uint32_t silent_of(const std::byte* frame) noexcept;
  // Of that frame: the sender's counter, and the bytes of bulk data that follow it.
  [[nodiscard]] std::uint32_t silent() const noexcept { return silent_; }
  [[nodiscard]] std::uint32_t following() const noexcept { return following_; }
  // The next frame does not come: its only message has come without it. `silent`: the counter that
  // it would have had.
  void skip_frame(std::uint32_t silent) noexcept {
    ++sequence_;
    silent_ = silent;
  }
  // The messages that are left in it.
  [[nodiscard]] std::uint16_t messages() const noexcept { return messages_; }

  // The next message of that frame; only the members that its kind has are written. Its payload is
  // in the frame. False: that was all, or there is an error.
  bool next(message& into) noexcept;

  // The connection cannot go on, and next() returns no message any more; error_text() has the
  // reason.
  [[nodiscard]] bool has_error() const noexcept { return what_ != nullptr; }
  [[nodiscard]] std::string error_text() const;

 private:
  parse_result refuse(const char* what, std::uint64_t actual, std::uint64_t expected,
                      const char* relation = "not") noexcept;
  // The next bytes; null: the frame is too short.
  const std::byte* take(std::size_t bytes) noexcept;
  parse_result open(std::span<const std::byte> frame) noexcept;
  bool take_header(message& into) noexcept;
  bool check_header(message& of, unsigned count) noexcept;
  bool take_body(message& into) noexcept;
  bool take_room(message& into) noexcept;
  bool take_payload(message& into) noexcept;
  bool take_padding(std::size_t step) noexcept;
  void check_end() noexcept;

  const std::optional<std::uint32_t> fixed_check_;
  const payload_sizes payloads_;
  std::span<const std::byte> frame_;
  std::size_t at_ = 0;  // in the frame
  std::size_t needed_ = frame_header_bytes;
  std::uint32_t sequence_ = 0;  // of the next frame
  std::uint32_t silent_ = 0;
  std::uint32_t following_ = 0;
  bool has_piece_ = false;
  std::uint16_t messages_ = 0;  // that are left
  const char* what_ = nullptr;
  const char* relation_ = nullptr;
  std::uint64_t actual_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace am::detail::wire
