// Bulk data over a plain socket, as a program usually writes it: a header and the piece in one
// call; the reader receives the header and then the piece at its place. A get is a header without a
// piece, and its reply a header with the piece; up to 16 gets are outstanding.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/probe_runner.hpp>

#include <utility>

namespace calib {

class socket_bulk {
 public:
  socket_bulk(int end, bulk_buffer& mine) : end_(end), mine_(mine) {}

  void set(const bulk_spec& what) noexcept { what_ = what; }
  bulk_buffer& memory() noexcept { return mine_; }

  // ---- requester ----

  void store(std::uint64_t n) { send_piece(n); }
  std::uint64_t wait_for_stores() {
    std::uint64_t checksum = 0;
    receive_all(end_, &checksum, sizeof checksum, wait_mode::blocking);
    return checksum;
  }
  void get(std::uint64_t n) {
    const piece_header get_request{what_.bytes, n};
    send_all(end_, &get_request, sizeof get_request);
    if (++outstanding_ == window) receive_get();
  }
  std::uint64_t wait_for_gets() {
    while (outstanding_ > 0) receive_get();
    return std::exchange(checksum_, 0);
  }

  // ---- responder ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) receive_piece();
    send_all(end_, &checksum_, sizeof checksum_);
    checksum_ = 0;
  }
  void serve_gets() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) send_piece(receive_header().piece);
  }

 private:
  static constexpr unsigned window = 16;

  struct piece_header {
    std::uint64_t bytes;
    std::uint64_t piece;
  };

  void send_piece(std::uint64_t n) {
    const piece_header front{what_.bytes, n};
    send_both(end_, &front, sizeof front, mine_.piece(what_, n), what_.bytes);
  }
  piece_header receive_header() {
    piece_header front{};
    receive_all(end_, &front, sizeof front, wait_mode::blocking);
    if (front.bytes != what_.bytes || front.piece >= what_.count())
      report::fault("an unexpected piece");
    return front;
  }
  void receive_piece() {
    std::byte* const at = mine_.piece(what_, receive_header().piece);
    receive_all(end_, at, what_.bytes, wait_mode::blocking);
    checksum_ += piece_checksum(what_, at);
  }
  void receive_get() {
    receive_piece();
    --outstanding_;
  }

  int end_;
  bulk_buffer& mine_;
  unsigned outstanding_ = 0;
  bulk_spec what_{};
  std::uint64_t checksum_ = 0;
};

// All bulk probes, at both sides. Gets first, because stores change their data.
inline void measure_bulk(probe_runner& runner, int end, std::size_t memory_bytes) {
  if (memory_bytes == 0) return;
  bulk_buffer mine(memory_bytes);
  socket_bulk layer(end, mine);
  runner.get_bulk(layer, "window=16");
  runner.store_bulk(layer, "default");
}

}  // namespace calib
