// libam's pieces of data of any size, for LogGP: gets from a segment of the peer whose lines are
// numbered, stores into it, and requests with a payload; and all three mixed, for the exchange.
#pragma once

#include <calib/exchange.hpp>
#include <calib/layers/am_handlers.hpp>
#include <calib/program/caches.hpp>
#include <calib/program/size_probe.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace calib {

class am_pieces {
 public:
  // The part of the memory that holds the pieces.
  struct byte_range {
    std::size_t from, bytes;
  };
  static constexpr byte_range all_bytes = {0, piece_memory_bytes};

  // The pieces lie in `mine` where they lie in the peer's segment.
  am_pieces(operation what, am::endpoint& ep, handler_state& state, const am::segment& all,
            am::rank_id peer, const bulk_buffer& mine, const byte_range& in = all_bytes)
      : what_(what),
        ep_(ep),
        state_(state),
        peer_(peer),
        range_(in),
        mine_(mine.bytes().subspan(in.from, in.bytes)),
        theirs_(static_cast<std::byte*>(all.address_at(peer)) + in.from) {}

  [[nodiscard]] std::string name() const { return name_of(what_); }
  // In factors of 4, up to the largest payload of a request or 1 MiB.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    const std::size_t most = what_ == operation::medium ? ep_.max_medium() : largest_piece;
    std::vector<std::size_t> out;
    for (std::size_t bytes = 64; bytes <= most; bytes *= 4) out.push_back(bytes);
    return out;
  }

  void set(std::size_t bytes) {
    bytes_ = bytes;
    next_ = 0;
  }
  // Changes the size without a return to the first place.
  void resize(std::size_t bytes) { bytes_ = bytes; }

  void move() {
    const std::size_t at = next_ + bytes_ <= range_.bytes ? next_ : 0;
    next_ = at + (bytes_ + line_bytes - 1) / line_bytes * line_bytes;
    ++moved_;
    const std::span piece = mine_.subspan(at, bytes_);
    if (what_ == operation::get) {
      number_sum_ += (range_.from + at) / line_bytes;  // the number of its line at the peer
      return ep_.get<on_piece_get>(peer_, theirs_ + at, piece);
    }
    number_sum_ += moved_;
    std::memcpy(piece.data(), &moved_, sizeof moved_);
    if (what_ == operation::store)
      ep_.store<on_piece_store>(peer_, theirs_ + at, piece);
    else
      ep_.request<on_piece_medium>(peer_, piece);
  }

  void wait_for_all() {
    if (what_ == operation::get) {
      ep_.wait([this] { return state_.numbered_pieces.gets - before_.gets == moved_; });
      return;
    }
    ep_.fence(peer_);
    const am::word reports = state_.numbered_pieces.reports + 1;
    ep_.request<on_number_sum_query>(peer_);
    ep_.wait([&] { return state_.numbered_pieces.reports == reports; });
  }

  // Returns to the first place. The first `bytes` are in no cache afterwards, at either end.
  void evict(std::size_t bytes) {
    next_ = 0;
    calib::evict(mine_.data(), bytes);
    const am::word reports = state_.numbered_pieces.reports + 1;
    ep_.request<on_eviction>(peer_, reinterpret_cast<am::word>(theirs_), bytes);
    ep_.wait([&] { return state_.numbered_pieces.reports == reports; });
  }

  // Every piece arrived, with its number.
  [[nodiscard]] bool intact() const { return number_sum_ == remote_number_sum(); }

  // The sum of the numbers of the pieces, and the sum at their receiver. The remote sum of stores
  // and requests includes the pieces of both.
  [[nodiscard]] am::word number_sum() const { return number_sum_; }
  [[nodiscard]] am::word remote_number_sum() const {
    const auto& now = state_.numbered_pieces;
    return what_ == operation::get ? now.get_sum - before_.get_sum
                                   : now.remote_sum - before_.remote_sum;
  }

 private:
  operation what_;
  am::endpoint& ep_;
  handler_state& state_;
  am::rank_id peer_;
  byte_range range_;
  std::span<std::byte> mine_;
  std::byte* theirs_;
  std::size_t bytes_ = 64;
  std::size_t next_ = 0;
  const decltype(handler_state::numbered_pieces) before_ = state_.numbered_pieces;
  am::word moved_ = 0;
  am::word number_sum_ = 0;
};

// Pieces of all kinds between two ranks, for the exchange by which LogGP is checked.
class am_exchange {
 public:
  am_exchange(am::endpoint& ep, handler_state& state, const am::segment& all, am::rank_id peer,
              const bulk_buffer& mine)
      : stores_(operation::store, ep, state, all, peer, mine, {0, 3 * part}),
        gets_(operation::get, ep, state, all, peer, mine, {3 * part, 3 * part}),
        mediums_(operation::medium, ep, state, all, peer, mine, {6 * part, 2 * part}) {}

  void move(const exchange_piece& piece) {
    am_pieces& by = piece.what == operation::store ? stores_
                    : piece.what == operation::get ? gets_
                                                   : mediums_;
    by.resize(piece.bytes);
    by.move();
  }

  // Returns to the first places. What one exchange needs is in no cache afterwards.
  void evict() {
    for (const auto& [what, pieces] : {std::pair(operation::store, &stores_),
                                       {operation::get, &gets_},
                                       {operation::medium, &mediums_}})
      pieces->evict(exchanged_bytes(what) + exchange_length * line_bytes);
  }

  // The reply to the last request follows all stores and requests.
  void wait_for_all() {
    gets_.wait_for_all();
    mediums_.wait_for_all();
  }

  [[nodiscard]] bool intact() const {
    return gets_.intact() &&
           stores_.number_sum() + mediums_.number_sum() == mediums_.remote_number_sum();
  }

 private:
  // Stores change the data of gets, so each kind has its own part of the memory.
  static constexpr std::size_t part = piece_memory_bytes / 8;

  am_pieces stores_, gets_, mediums_;
};

}  // namespace calib
