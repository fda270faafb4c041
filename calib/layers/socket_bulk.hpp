// Bulk data over a plain socket as it is usually written: a label that says what comes, and the
// piece behind it in the same call; the reader takes the label and then the piece to its place. A
// get is a label without a piece, answered by one with it; 16 of them are open.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/script.hpp>

#include <utility>

namespace calib {

class socket_bulk {
 public:
  socket_bulk(int end, cargo& mine) : end_(end), mine_(mine) {}

  void set(const bulk& what) noexcept { what_ = what; }
  cargo& memory() noexcept { return mine_; }

  // ---- asking ----

  void store(std::uint64_t n) { send_piece(n); }
  std::uint64_t settle_stores() {
    std::uint64_t tallies = 0;
    receive_all(end_, &tallies, sizeof tallies, waiting::blocking);
    return tallies;
  }
  void get(std::uint64_t n) {
    const label wanted{what_.bytes, n};
    send_all(end_, &wanted, sizeof wanted);
    if (++open_ == window) receive_wanted();
  }
  std::uint64_t settle_gets() {
    while (open_ > 0) receive_wanted();
    return std::exchange(tallies_, 0);
  }

  // ---- answering ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) receive_piece();
    send_all(end_, &tallies_, sizeof tallies_);
    tallies_ = 0;
  }
  void serve_gets() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) send_piece(receive_label().piece);
  }

 private:
  static constexpr unsigned window = 16;

  struct label {
    std::uint64_t bytes;
    std::uint64_t piece;
  };

  void send_piece(std::uint64_t n) {
    const label front{what_.bytes, n};
    send_both(end_, &front, sizeof front, mine_.piece(what_, n), what_.bytes);
  }
  label receive_label() {
    label front{};
    receive_all(end_, &front, sizeof front, waiting::blocking);
    if (front.bytes != what_.bytes || front.piece >= what_.count())
      report::fault("a piece that nobody waits for");
    return front;
  }
  void receive_piece() {
    std::byte* const at = mine_.piece(what_, receive_label().piece);
    receive_all(end_, at, what_.bytes, waiting::blocking);
    tallies_ += tally(what_, at);
  }
  void receive_wanted() {
    receive_piece();
    --open_;
  }

  int end_;
  cargo& mine_;
  unsigned open_ = 0;
  bulk what_{};
  std::uint64_t tallies_ = 0;
};

// The whole script, at both sides. Gets first, for a store changes what would be got.
inline void measure_bulk(script& play, int end, std::size_t room) {
  if (room == 0) return;
  cargo mine(room);
  socket_bulk layer(end, mine);
  play.get_bulk(layer, "window=16");
  play.store_bulk(layer, "default");
}

}  // namespace calib
