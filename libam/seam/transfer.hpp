// Bytes that a transport moves between memory here and memory of a peer, without a message around
// them. Core owns each transfer, and keeps it and the bytes in place until it has ended; while it
// is under way it is the transport's. Any number may be under way at a time.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace am::detail::seam {

// How a transfer begins, or ends.
enum class reach {
  done,         // a put: the bytes are read and the notice is accepted. A get: the bytes are here
  under_way,    // goes on at polls; the inbox is told how it ends, perhaps inside this call
  busy,         // not now, and nothing happened; ask again after a poll
  no_way,       // not without the peer's help: the data goes in messages
  bad_address,  // the peer has nothing mapped there
  bad_here      // not all of it is mapped here: there is no notice
};

struct transfer {
  void* there = nullptr;
  void* here = nullptr;
  std::size_t bytes = 0;  // not 0 where a port gets it

  // Of the notice behind bytes that are put: its handler gets `there` and `bytes`.
  std::uint32_t handler = 0;
  am_word words[AM_WORDS] = {};

  std::size_t number = 0;       // core's, to know it again
  reach at = reach::under_way;  // how it stands
  bool released = false;        // a put: the bytes are read. Set at the latest when it ends
  // A put that nobody waits for: its bytes are read before the port's call returns, or it goes in
  // messages.
  bool at_once = false;
  // A put: the bytes here are mapped and stay so until it has ended, for they lie in memory of the
  // library's. Then its notice may be accepted before they are read.
  bool stays = false;
  transfer* next = nullptr;  // the transport's, while it is under way
};

// Of transfers that are under way, in order.
class transfer_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] transfer& front() const noexcept { return *first_; }
  void push(transfer& one) noexcept {
    one.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &one;
    last_ = &one;
  }
  transfer& pop() noexcept { return *std::exchange(first_, first_->next); }

 private:
  transfer* first_ = nullptr;
  transfer* last_ = nullptr;
};

}  // namespace am::detail::seam
