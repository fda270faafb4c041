// Bytes that a transport moves between memory here and memory of a peer, outside of messages. Core
// owns each transfer, and keeps it and the bytes in place until it has ended; while it is under way
// the transport uses it. Any number may be under way at a time.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace am::detail::seam {

// How a transfer begins, or ends.
enum class transfer_status {
  done,         // a put: the bytes are read and the notice is accepted. A get: the bytes are here
  under_way,    // goes on at polls; its end is reported to the inbox, perhaps inside this call
  busy,         // not now, and nothing happened; call again after a poll
  unsupported,  // not without the peer's help: the data goes in messages
  bad_remote_address,  // the peer has nothing mapped there
  bad_local_address    // not all of it is mapped here: there is no notice
};

struct transfer {
  void* there = nullptr;
  void* here = nullptr;
  std::size_t bytes = 0;  // not 0 in a call of a port

  // Of the notice behind bytes that are put: its handler gets `there` and `bytes`.
  std::uint32_t handler = 0;
  am_word words[AM_WORDS] = {};

  std::size_t number = 0;  // core's, to identify it
  transfer_status status = transfer_status::under_way;
  bool released = false;  // a put: the bytes are read. Set at the latest when it ends
  // A put that no caller waits for: its bytes are read before the port's call returns, or it goes
  // in messages.
  bool at_once = false;
  // A put: the bytes here are mapped and stay so until it has ended, for they are in memory of the
  // library's. Then its notice may be accepted before they are read.
  bool source_stable = false;
  transfer* next = nullptr;  // the transport's, while it is under way
};

// Transfers that are under way, in order.
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
