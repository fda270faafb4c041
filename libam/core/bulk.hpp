// What bulk calls leave behind when they return: completions to run here, calls that have yet to
// end (calls.hpp), and what this rank owes to gets of others.
//
// Where no transport reaches the other side's memory, data goes in messages.
// The messages are requests to handlers of libam's own:
//   store    "piece" … "piece" "store": the last one has the notice and the rest of the bytes
//   get      "get" there; "got" … "got" come back as the other side finds credits, or one "got"
//   that
//            tells of bytes which a stream has brought; or "get failed"
//   atomic   "atomic" there; its reply is "atomic done" or "atomic failed"
#pragma once

#include <am/am.h>
#include <libam/core/calls.hpp>
#include <libam/core/completion.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <vector>

namespace am::detail::core {

// A get that this rank answers, in one transfer or piece by piece, as it finds credits. What the
// other side has said of addresses nobody has looked at.
struct owed_bytes {
  am_rank to;
  am_word number;  // of the one that waits there
  seam::transfer all{};
  std::size_t sent = 0;
  bool under_way = false;    // in a transfer
  am_status failed = AM_OK;  // what is told instead
  bool told = false;         // that there is no way to it

  // By a transfer; the caller may know that already, and ask for more.
  [[nodiscard]] bool is_paid() const noexcept { return under_way && all.at == seam::reach::done; }
};
// The number of such transfers: core looks how they stand.
inline constexpr std::size_t of_an_answer = ~std::size_t{0};

// Memory of this rank that was made to be reached by others.
struct own_segment {
  std::byte* address;
  std::size_t bytes;
};

struct bulk {
  explicit bulk(am_rank ranks) : pending(ranks), put_off(ranks), bad_pieces(ranks) {}

  // To be done before messages are looked for; calls that wait begin behind them, and what is owed
  // is paid there.
  [[nodiscard]] bool has_work() const noexcept {
    return !completions.empty() || !abandoned.empty();
  }
  // Something waits for credits, for room or for a way.
  [[nodiscard]] bool has_waiting() const noexcept {
    return !owed.empty() || !pending.waited_for().empty();
  }
  [[nodiscard]] bool settled() const noexcept {
    return completions.empty() && owed.empty() && pending.empty();
  }

  std::deque<completion> completions;
  calls pending;
  std::list<owed_bytes> owed;          // where they are transports know
  std::uint64_t rounds = 1;            // of tries to send what waits
  unsigned looks_to_pass = 0;          // before the next round in one
  std::vector<std::uint64_t> put_off;  // by rank: the last round in which a try was in vain
  std::vector<bool> bad_pieces;  // by source: a piece of the store that is coming in had no place
  std::vector<own_segment> segments;
  std::vector<own_segment> abandoned;  // but peers have yet to hear of it
  // Being put together: the last message of a store, which may wait for a credit while calls that
  // wait go on and owed pieces are sent; that of such a call; and such a piece.
  std::vector<std::byte> store_message;
  std::vector<std::byte> waiting_message;
  std::vector<std::byte> owed_piece;
};

}  // namespace am::detail::core
