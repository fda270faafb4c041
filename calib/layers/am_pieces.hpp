// libam's pieces of data of any size, for LogGP: gets out of a segment of the peer's whose lines
// are numbered, stores into it, and requests with a payload.
#pragma once

#include <calib/exchange.hpp>
#include <calib/layers/am_handlers.hpp>
#include <calib/program/sizes.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace calib {

class am_pieces {
 public:
  static constexpr std::size_t room = pieces_room;
  // Which part of it pieces lie in.
  struct part {
    std::size_t from, bytes;
  };
  static constexpr part whole = {0, room};

  am_pieces(operation what, am::endpoint& ep, ledger& here, const am::segment& all,
            am::rank_id peer, const part& in = whole)
      : what_(what),
        ep_(ep),
        here_(here),
        peer_(peer),
        in_(in),
        mine_(in.bytes),
        theirs_(static_cast<std::byte*>(all.address_at(peer)) + in.from) {}

  [[nodiscard]] std::string name() const { return name_of(what_); }
  // Four times as large each, up to what a request carries or a megabyte.
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
  // The same, but places go on from where they are.
  void resize(std::size_t bytes) { bytes_ = bytes; }

  void move() {
    const std::size_t at = next_ + bytes_ <= in_.bytes ? next_ : 0;
    next_ = at + (bytes_ + line_bytes - 1) / line_bytes * line_bytes;
    ++moved_;
    const std::span piece(mine_.data() + at, bytes_);
    if (what_ == operation::get) {
      numbers_ += (in_.from + at) / line_bytes;  // so its line is numbered there
      return ep_.get<piece_got>(peer_, theirs_ + at, piece);
    }
    numbers_ += moved_;
    std::memcpy(piece.data(), &moved_, sizeof moved_);
    if (what_ == operation::store)
      ep_.store<piece_stored>(peer_, theirs_ + at, piece);
    else
      ep_.request<piece_came>(peer_, piece);
  }

  void settle() {
    if (what_ == operation::get) {
      ep_.wait([this] { return here_.numbered.got - before_.got == moved_; });
      return;
    }
    ep_.fence(peer_);
    const am::word told = here_.numbered.told + 1;
    ep_.request<asked_for_sum>(peer_);
    ep_.wait([&] { return here_.numbered.told == told; });
  }

  // Every piece was there, and with its number.
  [[nodiscard]] bool intact() const { return numbers_ == numbers_there(); }

  // What the numbers of the pieces add up to, and what they did where the pieces are; of those that
  // are sent, with those of others.
  [[nodiscard]] am::word numbers() const { return numbers_; }
  [[nodiscard]] am::word numbers_there() const {
    const auto& now = here_.numbered;
    return what_ == operation::get ? now.got_sum - before_.got_sum
                                   : now.sum_there - before_.sum_there;
  }

 private:
  operation what_;
  am::endpoint& ep_;
  ledger& here_;
  am::rank_id peer_;
  part in_;
  std::vector<std::byte> mine_;
  std::byte* theirs_;
  std::size_t bytes_ = 64;
  std::size_t next_ = 0;
  const decltype(ledger::numbered) before_ = here_.numbered;
  am::word moved_ = 0;
  am::word numbers_ = 0;
};

}  // namespace calib
