// Takes frames apart, whatever the bytes are: nothing outside them is read, and what comes out was
// put in by a packer or is named as trouble.
#pragma once

#include <libam/wire/frame.hpp>

#include <optional>
#include <span>
#include <string>

namespace am::detail::wire {

class unpacker {
 public:
  enum class found { part, frame, trouble };

  // `mark`: what the packer puts in the place of the check. `payloads`: as all ranks of the job
  // have them; nobody may make this one wait for a longer frame.
  explicit unpacker(std::optional<std::uint32_t> mark = std::nullopt,
                    payload_sizes payloads = payload_sizes()) noexcept
      : mark_(mark), payloads_(payloads) {}

  // What `bytes`, aligned as frames are, begin with. A part: look again when needed() bytes are
  // there. A frame: its messages are next, and it ends after frame_bytes(). It has to stand there
  // until they have all been taken, and only then may the next one be looked at.
  found look(std::span<const std::byte> bytes) noexcept;

  // The same frame stands there now.
  void has_moved(const std::byte* to) noexcept { frame_ = {to, frame_.size()}; }

  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return frame_.size(); }
  // The number of the frame that is due next.
  [[nodiscard]] std::uint32_t sequence() const noexcept { return sequence_; }
  // What the beginning of a frame, of at least frame_header_bytes, says its number is.
  static std::uint32_t number_of(const std::byte* frame) noexcept;
  // The same for its counter.
  static std::uint32_t silent_of(const std::byte* frame) noexcept;
  // Of that frame: the sender's counter, and the bytes of bulk data that follow it.
  [[nodiscard]] std::uint32_t silent() const noexcept { return silent_; }
  [[nodiscard]] std::uint32_t following() const noexcept { return following_; }
  // The frame that is due next does not come: its only message has come without it. `silent`: the
  // counter that it would have had.
  void pass_over(std::uint32_t silent) noexcept {
    ++sequence_;
    silent_ = silent;
  }
  // Still to come out of it.
  [[nodiscard]] std::uint16_t messages() const noexcept { return messages_; }

  // The next message of that frame, of which only what its kind has is written. Its payload stands
  // in the frame. False: that was all, or there is trouble.
  bool next(message& into) noexcept;

  // The connection cannot go on, and no message comes out any more; and why, in a line.
  [[nodiscard]] bool in_trouble() const noexcept { return what_ != nullptr; }
  [[nodiscard]] std::string trouble() const;

 private:
  found refuse(const char* what, std::uint64_t is, std::uint64_t due,
               const char* relation = "not") noexcept;
  // Moves on; null: the frame is too short.
  const std::byte* take(std::size_t bytes) noexcept;
  found open(std::span<const std::byte> frame) noexcept;
  bool take_header(message& into) noexcept;
  bool check_header(message& of, unsigned count) noexcept;
  bool take_rest(message& into) noexcept;
  bool take_room(message& into) noexcept;
  bool take_payload(message& into) noexcept;
  bool take_fill(std::size_t step) noexcept;
  void check_end() noexcept;

  const std::optional<std::uint32_t> mark_;
  const payload_sizes payloads_;
  std::span<const std::byte> frame_;
  std::size_t at_ = 0;  // in the frame
  std::size_t needed_ = frame_header_bytes;
  std::uint32_t sequence_ = 0;  // of the next frame
  std::uint32_t silent_ = 0;
  std::uint32_t following_ = 0;
  bool has_piece_ = false;
  std::uint16_t messages_ = 0;  // still to come
  const char* what_ = nullptr;
  const char* relation_ = nullptr;
  std::uint64_t is_ = 0;
  std::uint64_t due_ = 0;
};

}  // namespace am::detail::wire
