// Bulk data over plain sockets at the highest rate: a stream of pieces in order, without headers.
// The pieces are contiguous, so a write or a read may contain several.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/probe_runner.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace calib {

class limit_socket_bulk {
 public:
  // The bytes per write and per read; `write` of one_piece: a piece per write.
  limit_socket_bulk(int end, bulk_buffer& mine, wait_mode how, std::size_t write, std::size_t read)
      : end_(end), mine_(mine), how_(how), write_option_(write), read_(read) {}
  static constexpr std::size_t one_piece = 0;

  void set(const bulk_spec& what) noexcept {
    what_ = what;
    write_ = write_option_ == one_piece ? what.bytes : write_option_;
  }
  bulk_buffer& memory() noexcept { return mine_; }

  // ---- requester ----

  void store(std::uint64_t n) {
    const std::size_t ready = (n + 1) * what_.bytes;
    while (ready - offset_ >= write_) send_up_to(offset_ + write_);
  }
  std::uint64_t wait_for_stores() {
    send_up_to(what_.memory_bytes());
    offset_ = 0;
    std::uint64_t checksum = 0;
    receive_all(end_, &checksum, sizeof checksum, how_);
    return checksum;
  }
  // One word requests all pieces.
  void get(std::uint64_t n) {
    if (n == 0) send_all(end_, &n, sizeof n);
    receive_piece(n);
  }
  std::uint64_t wait_for_gets() {
    offset_ = 0;
    return std::exchange(checksum_, 0);
  }

  // ---- responder ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) receive_piece(n);
    offset_ = 0;
    send_all(end_, &checksum_, sizeof checksum_);
    checksum_ = 0;
  }
  void serve_gets() {
    std::uint64_t word = 0;
    receive_all(end_, &word, sizeof word, how_);
    while (offset_ < what_.memory_bytes())
      send_up_to(std::min(offset_ + write_, what_.memory_bytes()));
    offset_ = 0;
  }

 private:
  void send_up_to(std::size_t end) {
    send_all(end_, mine_.piece(what_, 0) + offset_, end - offset_);
    offset_ = end;
  }
  void receive_piece(std::uint64_t n) {
    while (offset_ < (n + 1) * what_.bytes)
      offset_ += receive_some(end_, mine_.piece(what_, 0) + offset_,
                              std::min(read_, what_.memory_bytes() - offset_), how_);
    checksum_ += piece_checksum(what_, mine_.piece(what_, n));
  }

  int end_;
  bulk_buffer& mine_;
  wait_mode how_;
  const std::size_t write_option_;
  const std::size_t read_;
  std::size_t write_ = 0;
  bulk_spec what_{};
  std::size_t offset_ = 0;  // in this sample
  std::uint64_t checksum_ = 0;
};

struct bulk_shape {
  int end;
  wait_mode how;
  std::size_t write, read;
  const char* name;
};

// All bulk probes, at both sides. Gets first, because stores change their data.
inline void measure_bulk(probe_runner& runner, std::span<const bulk_shape> shapes,
                         std::size_t memory_bytes) {
  if (memory_bytes == 0) return;
  bulk_buffer mine(memory_bytes);
  const auto layer_of = [&](const bulk_shape& one) {
    return limit_socket_bulk(one.end, mine, one.how, one.write, one.read);
  };
  for (const bulk_shape& one : shapes) {
    limit_socket_bulk layer = layer_of(one);
    runner.get_bulk(layer, one.name);
  }
  for (const bulk_shape& one : shapes) {
    limit_socket_bulk layer = layer_of(one);
    runner.store_bulk(layer, one.name);
  }
}

}  // namespace calib
