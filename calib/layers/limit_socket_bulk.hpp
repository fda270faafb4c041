// Bulk data over plain sockets, as fast as they go: a stream of pieces in their order, and nothing
// between them. Pieces lie side by side, so a write may take several and a read may bring several.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/script.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace calib {

class limit_socket_bulk {
 public:
  // So much is read at a time, and written; `write` of one_piece: a piece.
  limit_socket_bulk(int end, cargo& mine, waiting how, std::size_t write, std::size_t read)
      : end_(end), mine_(mine), how_(how), asked_(write), read_(read) {}
  static constexpr std::size_t one_piece = 0;

  void set(const bulk& what) noexcept {
    what_ = what;
    write_ = asked_ == one_piece ? what.bytes : asked_;
  }
  cargo& memory() noexcept { return mine_; }

  // ---- asking ----

  void store(std::uint64_t n) {
    const std::size_t ready = (n + 1) * what_.bytes;
    while (ready - passed_ >= write_) send_up_to(passed_ + write_);
  }
  std::uint64_t settle_stores() {
    send_up_to(what_.room());
    passed_ = 0;
    std::uint64_t tallies = 0;
    receive_all(end_, &tallies, sizeof tallies, how_);
    return tallies;
  }
  // One word asks for all of them.
  void get(std::uint64_t n) {
    if (n == 0) send_all(end_, &n, sizeof n);
    receive_piece(n);
  }
  std::uint64_t settle_gets() {
    passed_ = 0;
    return std::exchange(tallies_, 0);
  }

  // ---- answering ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) receive_piece(n);
    passed_ = 0;
    send_all(end_, &tallies_, sizeof tallies_);
    tallies_ = 0;
  }
  void serve_gets() {
    std::uint64_t word = 0;
    receive_all(end_, &word, sizeof word, how_);
    while (passed_ < what_.room()) send_up_to(std::min(passed_ + write_, what_.room()));
    passed_ = 0;
  }

 private:
  void send_up_to(std::size_t end) {
    send_all(end_, mine_.piece(what_, 0) + passed_, end - passed_);
    passed_ = end;
  }
  void receive_piece(std::uint64_t n) {
    while (passed_ < (n + 1) * what_.bytes)
      passed_ += receive_some(end_, mine_.piece(what_, 0) + passed_,
                              std::min(read_, what_.room() - passed_), how_);
    tallies_ += tally(what_, mine_.piece(what_, n));
  }

  int end_;
  cargo& mine_;
  waiting how_;
  const std::size_t asked_;
  const std::size_t read_;
  std::size_t write_ = 0;
  bulk what_{};
  std::size_t passed_ = 0;  // of this sample
  std::uint64_t tallies_ = 0;
};

struct bulk_shape {
  int end;
  waiting how;
  std::size_t write, read;
  const char* name;
};

// The whole script, at both sides; gets first, for a store changes what would be got.
inline void measure_bulk(script& play, std::span<const bulk_shape> shapes, std::size_t room) {
  if (room == 0) return;
  cargo mine(room);
  const auto layer_of = [&](const bulk_shape& one) {
    return limit_socket_bulk(one.end, mine, one.how, one.write, one.read);
  };
  for (const bulk_shape& one : shapes) {
    limit_socket_bulk layer = layer_of(one);
    play.get_bulk(layer, one.name);
  }
  for (const bulk_shape& one : shapes) {
    limit_socket_bulk layer = layer_of(one);
    play.store_bulk(layer, one.name);
  }
}

}  // namespace calib
