// A lane: the stamps of the messages that one process sends to another, in the order in which they
// are sent. One writer, one reader, in memory that both have mapped.
//
// A stamp is written before its message is handed to MPI, so it is there when the message is. The
// entry of number n holds n, by which the reader knows it. When the reader has taken all and the
// writer is at the end of the first chunk or beyond, the writer goes back to the beginning: a lane
// whose messages are received touches one chunk of its memory. The entry that says so must not be
// written again before it is read: a writer that is back there first goes on behind it.
#pragma once

#include <transports/dial/card.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace am::detail::mpidial {

using dial::ticks;

// What MPI matches messages of one sender by.
struct message_key {
  std::uint64_t communicator;
  std::int32_t tag;
  bool operator==(const message_key&) const noexcept = default;
};

struct stamp {
  message_key key;
  ticks leave;
  std::uint32_t fragments;
  std::uint8_t size_class;  // of messages that take equally long by themselves
  bool lone;                // it has left when it was sent: nothing before it held it up
  ticks arrival = 0;        // at its receiver, once a probe has seen the message; 0: not yet
};

enum class entry_kind : std::uint8_t { message, withdrawal, jump };

struct lane_entry {
  std::atomic<std::uint32_t> number;
  std::int32_t tag;
  std::uint64_t communicator;
  ticks leave;  // of a jump: the entry to go on with
  std::uint32_t fragments;
  std::uint8_t size_class;
  bool lone;
  entry_kind kind;
};

inline constexpr std::size_t lane_entries = 262144;
inline constexpr std::size_t chunk_entries = 4096;

struct lane_memory {
  alignas(64) std::atomic<std::uint32_t> taken;  // by the reader
  alignas(64) lane_entry entries[lane_entries];
};

class lane_writer {
 public:
  lane_writer() noexcept = default;
  explicit lane_writer(lane_memory* memory) noexcept : memory_(memory) {}
  [[nodiscard]] bool exists() const noexcept { return memory_ != nullptr; }

  // False: no entry is free. There are pages up to next_chunk().
  bool add(entry_kind kind, const stamp& of) noexcept {
    if (at_ >= chunk_entries - 1 && at_ % 64 == 63) go_back_if_empty();
    if (written_ - taken_ >= lane_entries - 1) {
      take_note();
      if (written_ - taken_ >= lane_entries - 1) return false;
    }
    put(kind, of);
    if (at_ + 1 == jump_at_ && !has_read_jump()) jump_to(jump_at_ + 1);
    if (at_ == lane_entries) at_ = 0;
    return true;
  }
  // The first entry of a chunk whose pages nothing has made sure of; lane_entries: none.
  [[nodiscard]] std::size_t next_chunk() const noexcept {
    return at_ == chunks_ ? chunks_ : lane_entries;
  }
  void has_pages() noexcept { chunks_ += chunk_entries; }

 private:
  void take_note() noexcept {
    // SYNC(taken): with the release in lane_reader::count_taken.
    taken_ = memory_->taken.load(std::memory_order_acquire);
  }
  void go_back_if_empty() noexcept {
    take_note();
    if (taken_ != written_) return;
    jump_at_ = at_;
    jump_to(0);
    jump_ = written_;
  }
  void jump_to(std::size_t entry) noexcept {
    put(entry_kind::jump, {{}, entry, 0, 0, false});
    at_ = entry;
  }
  bool has_read_jump() noexcept {
    take_note();
    return static_cast<std::int32_t>(taken_ - jump_) >= 0;
  }
  void put(entry_kind kind, const stamp& of) noexcept {
    lane_entry& next = memory_->entries[at_++];
    next.tag = of.key.tag;
    next.communicator = of.key.communicator;
    next.leave = of.leave;
    next.fragments = of.fragments;
    next.size_class = of.size_class;
    next.lone = of.lone;
    next.kind = kind;
    // SYNC(entry): with the acquire in lane_reader::front.
    next.number.store(++written_, std::memory_order_release);
  }

  lane_memory* memory_ = nullptr;
  std::size_t at_ = 0;
  std::size_t chunks_ = 0;                 // up to here there are pages
  std::size_t jump_at_ = ~std::size_t{0};  // the entry that says to go back to the beginning
  std::uint32_t jump_ = 0;                 // its number
  std::uint32_t written_ = 0;
  std::uint32_t taken_ = 0;  // as far as is known
};

class lane_reader {
 public:
  lane_reader() noexcept = default;
  explicit lane_reader(lane_memory* memory) noexcept : memory_(memory) {}

  // The next message or withdrawal; null: there is none yet.
  const lane_entry* front() noexcept {
    for (;;) {
      const lane_entry& next = memory_->entries[at_];
      // SYNC(entry): with the release in lane_writer::put.
      if (next.number.load(std::memory_order_acquire) != taken_ + 1) return nullptr;
      if (next.kind != entry_kind::jump) return &next;
      at_ = next.leave == lane_entries ? 0 : next.leave;
      count_taken();
    }
  }
  void pop() noexcept {
    if (++at_ == lane_entries) at_ = 0;
    count_taken();
  }

 private:
  void count_taken() noexcept {
    // SYNC(taken): with the acquire in lane_writer::take_note.
    memory_->taken.store(++taken_, std::memory_order_release);
  }

  lane_memory* memory_ = nullptr;
  std::size_t at_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace am::detail::mpidial
