// The state of a mailbox at one rank: its receives and sends under way, and what each pair of ranks
// counts.
//
// Flow control: a message that goes eagerly may have to be kept at its receiver. The sender counts
// such bytes, the receiver returns the count when it has matched them, beside the other answers of
// that pair; a sender whose count is full offers its messages, and the receiver fetches the bytes
// when they have a receive. So what a pair keeps is bounded, and no send depends on memory. An
// offer is kept, too: each costs its sender an operation, and has a limit of its own.
#pragma once

#include <am/detail/messages_match.hpp>
#include <am/team.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace am::messages {

/// How a message has ended.
enum class outcome : std::uint8_t {
  ok,          ///< done
  truncated,   ///< the message is longer than the room; what fits has been received
  mismatched,  ///< its bytes are no whole number of the elements that the receive has room for
  cancelled,   ///< a receive: cancelled before its message came
  refused,     ///< a ready send, in a debug build: no receive was posted
  closed,      ///< a send: the mailbox has ended there
  failed,      ///< the memory of one end cannot be read or written, or the machine lacks something
  dead,        ///< the other rank has died or is lost
};

/// What became of a message; of a send only the outcome counts.
struct status {
  rank_id source = 0;         ///< in the mailbox's numbers
  std::int32_t tag = 0;       ///< that it was sent with
  std::size_t bytes = 0;      ///< that it has
  outcome how = outcome::ok;  ///< ok, or what was wrong

  /// Whether all is well.
  [[nodiscard]] constexpr bool ok() const noexcept { return how == outcome::ok; }
};

/// How a mailbox treats messages that come before their receives. Ranks may give different limits:
/// the smallest of all counts.
struct limits {
  /// For `kept`: by the number of ranks.
  static constexpr std::size_t automatic = ~std::size_t{0};

  /// Messages of at most so many bytes are sent at once; longer ones wait for their receive.
  std::size_t eager = 16384;
  /// Bytes that a rank keeps of messages from one other rank, with 64 for each. automatic: 1 MiB,
  /// but from all ranks together no more than 64 MiB, as long as that is 64 KiB for each.
  std::size_t kept = automatic;
  /// Messages to one rank that are not received and wait at this one.
  std::size_t offers = 16384;
};

}  // namespace am::messages

namespace am::detail::messages {

using am::messages::outcome;

/// What a message that is kept costs beside its bytes.
inline constexpr std::size_t kept_overhead = 64;

enum class send_mode : std::uint8_t { standard, synchronous, ready };

struct mailbox_state;

/// A receive or a send that has not ended, or whose request does not know yet that it has.
struct operation : posted {
  mailbox_state* of = nullptr;
  std::byte* room = nullptr;        // of a receive
  const std::byte* data = nullptr;  // of a send
  std::size_t bytes = 0;            // of the room or the data
  std::size_t element = 1;          // bytes of one element of the room
  am::messages::status result{};    // its source is a rank of the job
  send_mode mode = send_mode::standard;
  bool is_send = false;
  std::atomic<bool> done = false;  // last: then the result is there for another thread
  bool is_matched = false;         // a receive: it cannot be cancelled any more
  bool is_abandoned = false;       // its request is gone: freed when it is done
  operation* next = nullptr;       // in the list of free ones, or of fetches

  // SYNC(operation): with the release in end_operation. For the thread that owns the endpoint it is
  // an ordinary load.
  [[nodiscard]] bool has_ended() const noexcept { return done.load(std::memory_order_acquire); }

  // An offer that this receive has matched.
  std::uint64_t sender = 0;  // the operation there
  const std::byte* there = nullptr;
  bool has_failed = false;  // its get
};

/// A message that has come before its receive: behind it `bytes`, unless it is an offer.
struct kept_message : unexpected {
  std::size_t bytes = 0;             // of the whole message
  std::uint64_t sender = 0;          // the operation there, if it waits for the match
  const std::byte* there = nullptr;  // of an offer: its data
  bool is_offer = false;

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

/// What this rank counts with another one.
struct pair {
  bool is_behind = false;        // it has not made room in time, and has returned nothing since
  std::size_t unreturned = 0;    // bytes sent eagerly, as far as they may be kept there
  std::size_t matched = 0;       // of what it has sent, matched here and not yet returned
  std::size_t offers = 0;        // sent there and not yet fetched
  ordered_list<posted> waiting;  // sends that could not leave, in their order
  ordered_list<posted> open;     // sends that have left and wait for an answer
  bool is_dead = false;
};

/// Operations, reused; their addresses stay.
class operation_pool {
 public:
  [[nodiscard]] operation& take() {
    if (free_ == nullptr) return all_.emplace_back();
    operation& one = *free_;
    free_ = one.next;
    return one;
  }
  void free(operation& one) noexcept {
    one.next = free_;
    free_ = &one;
  }

 private:
  std::deque<operation> all_;
  operation* free_ = nullptr;
};

}  // namespace am::detail::messages
