// Bulk data in two-sided messages: windows of isend and irecv, as in the bandwidth benchmarks of
// MPI. For a get the requester sends the number of the piece, and the responder sends the piece.
#pragma once

#include <calib/program/probe_runner.hpp>
#include <calib/program/two_sided.hpp>

#include <utility>
#include <vector>

namespace calib {

template <two_sided Library>
class two_sided_bulk {
 public:
  two_sided_bulk(Library& library, int peer, std::size_t window, bulk_buffer& mine)
      : library_(library), peer_(peer), window_(window), mine_(mine), get_numbers_(window) {
    for (std::size_t i = 0; i < window; ++i) {
      data_.push_back(Library::none());
      get_requests_.push_back(Library::none());
    }
  }

  [[nodiscard]] std::string name() const { return "window=" + std::to_string(window_); }
  void set(const bulk_spec& what) noexcept { what_ = what; }
  bulk_buffer& memory() noexcept { return mine_; }

  // ---- requester ----

  void store(std::uint64_t n) {
    send(n);
    if (used_ == window_) finish();
  }
  std::uint64_t wait_for_stores() {
    finish();
    std::uint64_t checksum = 0;
    library_.recv(peer_, checksum_tag, bytes_of(checksum), sizeof checksum);
    return checksum;
  }
  void get(std::uint64_t n) {
    receive(n);
    const std::size_t at = used_ - 1;
    get_numbers_[at] = n;
    get_requests_[at] = library_.isend(peer_, get_tag, bytes_of(get_numbers_[at]), sizeof n);
    if (used_ == window_) finish_gets();
  }
  std::uint64_t wait_for_gets() {
    finish_gets();
    return std::exchange(checksum_, 0);
  }

  // ---- responder ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count();) {
      while (used_ < window_ && n < what_.count()) receive(n++);
      finish_pieces();
    }
    const std::uint64_t checksum = std::exchange(checksum_, 0);
    library_.send(peer_, checksum_tag, bytes_of(checksum), sizeof checksum);
  }
  void serve_gets() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) {
      std::uint64_t number = 0;
      library_.recv(peer_, get_tag, bytes_of(number), sizeof number);
      send(number);
      if (used_ == window_) finish();
    }
    finish();
  }

 private:
  static constexpr int data_tag = 1;
  static constexpr int get_tag = 2;
  static constexpr int checksum_tag = 3;

  static std::byte* bytes_of(std::uint64_t& word) noexcept {
    return reinterpret_cast<std::byte*>(&word);
  }
  static const std::byte* bytes_of(const std::uint64_t& word) noexcept {
    return reinterpret_cast<const std::byte*>(&word);
  }
  void send(std::uint64_t n) {
    data_[used_++] = library_.isend(peer_, data_tag, mine_.piece(what_, n), what_.bytes);
  }
  void receive(std::uint64_t n) {
    if (used_ == 0) first_ = n;
    data_[used_++] = library_.irecv(peer_, data_tag, mine_.piece(what_, n), what_.bytes);
  }
  void finish() {
    wait_all(data_);
    used_ = 0;
  }
  void finish_gets() {
    wait_all(get_requests_);
    finish_pieces();
  }
  // Reads each piece on arrival, if it is to be touched.
  void finish_pieces() {
    if (!what_.touched) wait_all(data_);
    for (std::size_t i = 0; i < used_; ++i) {
      if (what_.touched) library_.wait(data_[i]);
      checksum_ += piece_checksum(what_, mine_.piece(what_, first_ + i));
    }
    used_ = 0;
  }
  void wait_all(std::vector<typename Library::request>& requests) {
    library_.wait_all(std::span(requests).first(used_));
  }

  Library& library_;
  int peer_;
  std::size_t window_;
  bulk_buffer& mine_;
  bulk_spec what_{};
  std::vector<typename Library::request> data_, get_requests_;
  std::vector<std::uint64_t> get_numbers_;
  std::size_t used_ = 0;     // of data_
  std::uint64_t first_ = 0;  // the piece of data_[0]; the others follow it
  std::uint64_t checksum_ = 0;
};

}  // namespace calib
