// What bulk calls leave behind when they return: completions to run here, and, where data goes in
// messages because no transport reaches the other side's memory, who waits for what.
//
// The messages are requests to handlers of libam's own:
//   store    "piece" … "piece" "store": the last one has the notice and the rest of the bytes
//   get      "get" there; "got" … "got" come back as the other side finds credits, or one "got"
//   that
//            tells of bytes which a stream has brought; or "get failed"
//   atomic   "atomic" there; its reply is "atomic done" or "atomic failed"
#pragma once

#include <am/am.h>
#include <libam/seam/shipment.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <vector>

namespace am::detail::core {

// A handler of the caller's that runs here, from the next poll on, with a reply handler's rights.
struct completion {
  am_rank peer;
  std::uint32_t handler;
  am_word words[AM_WORDS];
  void* data;
  std::size_t bytes;
  am_status reason;      // not AM_OK: the call comes back to whoever takes what is undeliverable
  bool unknown = false;  // then: nobody can tell whether it ran
};
// Stands for a handler: tell the program that `peer` has died.
inline constexpr std::uint32_t peer_failed = ~std::uint32_t{0};

// Calls that wait for the other side's messages, found by a small number.
template <class Waiting, std::size_t Most>
class waiting_list {
 public:
  [[nodiscard]] bool full() const noexcept { return count_ == Most; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  // Only if it is not full.
  std::size_t add(const Waiting& one) noexcept {
    std::size_t number = 0;
    while (places_[number].has_value()) ++number;
    places_[number] = one;
    ++count_;
    return number;
  }
  // Null for a number that nobody waits under.
  [[nodiscard]] Waiting* find(std::size_t number) noexcept {
    return number < Most && places_[number] ? &*places_[number] : nullptr;
  }
  template <class Is>
  [[nodiscard]] std::size_t count_if(Is&& is) const noexcept {
    if (empty()) return 0;
    return static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(),
                      [&](const std::optional<Waiting>& one) { return one && is(*one); }));
  }
  // False: nobody waits under it any more.
  bool remove(std::size_t number) noexcept {
    if (find(number) == nullptr) return false;
    places_[number].reset();
    --count_;
    return true;
  }

 private:
  std::array<std::optional<Waiting>, Most> places_;
  std::size_t count_ = 0;
};

struct waiting_get {
  completion then;
  std::size_t arrived;
  bool asked = false;  // the message that asks for it has been sent
};

// A get that this rank answers, in a shipment or piece by piece, as it finds credits. What the
// other side has said of addresses nobody has looked at.
struct owed_bytes {
  am_rank to;
  am_word number;  // of the one that waits there
  seam::shipment all;
  std::size_t sent = 0;
  bool shipped = false;
  am_status failed = AM_OK;  // what is told instead
  bool told = false;         // that there is no way to it

  // In a shipment; the caller may know that already, and ask for more.
  [[nodiscard]] bool is_paid() const noexcept {
    return shipped && all.at == seam::shipment::stage::gone;
  }
};

// Memory of this rank that was made to be reached by others.
struct own_segment {
  std::byte* address;
  std::size_t bytes;
};

struct bulk {
  // So many calls at most wait for other ranks' messages; one more waits for one of them.
  static constexpr std::size_t most_waiting = 64;

  // To be done before messages are looked for; what is owed is paid behind them.
  [[nodiscard]] bool has_work() const noexcept {
    return !completions.empty() || !abandoned.empty();
  }
  [[nodiscard]] bool settled() const noexcept {
    return completions.empty() && owed.empty() && gets.empty() && atomics.empty();
  }

  std::deque<completion> completions;
  std::list<owed_bytes> owed;          // where they are transports know
  std::uint64_t payments = 1;          // rounds of them
  unsigned looks_to_pass = 0;          // before the next round in one
  std::vector<std::uint64_t> put_off;  // by rank: the last round in which one was tried in vain
  waiting_list<waiting_get, most_waiting> gets;
  waiting_list<completion, most_waiting> atomics;
  std::vector<bool> bad_pieces;  // by source: a piece of the store that is coming in had no place
  std::vector<own_segment> segments;
  std::vector<own_segment> abandoned;  // but peers have yet to hear of it
  // Being put together: the last message of a store, which may wait for a credit while owed pieces
  // are sent; and such a piece.
  std::vector<std::byte> store_message;
  std::vector<std::byte> owed_piece;
};

}  // namespace am::detail::core
