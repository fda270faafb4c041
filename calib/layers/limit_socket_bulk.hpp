// Bulk data over plain sockets, as fast as they go: a stream of pieces in their order, and nothing
// between them. Pieces lie side by side, so a write may take several and a read may bring several.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/script.hpp>

#include <algorithm>
#include <utility>

namespace calib {

class limit_socket_bulk {
 public:
  // So much is written and read at a time.
  limit_socket_bulk(int end, cargo& mine, waiting how, std::size_t write, std::size_t read)
      : end_(end), mine_(mine), how_(how), write_(write), read_(read) {}

  void set(const bulk& what) noexcept { what_ = what; }
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
  std::size_t write_, read_;
  bulk what_{};
  std::size_t passed_ = 0;  // of this sample
  std::uint64_t tallies_ = 0;
};

// The whole script, at both sides; gets first, for a store changes what would be got. With small
// buffers what passes through the system stays in the cache, but who sleeps is woken more often.
inline void measure_bulk(script& play, int end, int end_of_small_buffers, std::size_t room) {
  if (room == 0) return;
  cargo mine(room);
  constexpr std::size_t kib = 1024;
  constexpr std::size_t all = 8192 * kib;
  const int small = end_of_small_buffers;
  const std::pair<limit_socket_bulk, const char*> shapes[] = {
      {{small, mine, waiting::spinning, all, 64 * kib}, "small-buffers,64K-reads"},
      {{small, mine, waiting::spinning, all, 256 * kib}, "small-buffers,256K-reads"},
      {{end, mine, waiting::spinning, all, 256 * kib}, "256K-reads"},
      {{end, mine, waiting::blocking, 1024 * kib, 1024 * kib}, "1M-writes,1M-reads,blocking"},
  };
  for (auto [layer, name] : shapes) play.get_bulk(layer, name);
  for (auto [layer, name] : shapes) play.store_bulk(layer, name);
}

}  // namespace calib
