// Bulk data over MPI: windows of MPI_Isend and MPI_Irecv, as in its bandwidth benchmarks. For a get
// the requester sends the number of the piece, and the responder sends the piece.
#pragma once

#include <calib/program/probe_runner.hpp>

#include <mpi.h>

#include <utility>
#include <vector>

namespace calib {

class mpi_bulk {
 public:
  mpi_bulk(int peer, int window, bulk_buffer& mine) : peer_(peer), window_(window), mine_(mine) {
    const auto size = static_cast<std::size_t>(window);
    data_.resize(size);
    get_requests_.resize(size);
    get_numbers_.resize(size);
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
    MPI_Recv(&checksum, sizeof checksum, MPI_BYTE, peer_, checksum_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return checksum;
  }
  void get(std::uint64_t n) {
    receive(n);
    const auto at = static_cast<std::size_t>(used_ - 1);
    get_numbers_[at] = n;
    MPI_Isend(&get_numbers_[at], sizeof n, MPI_BYTE, peer_, get_tag, MPI_COMM_WORLD,
              &get_requests_[at]);
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
    MPI_Send(&checksum, sizeof checksum, MPI_BYTE, peer_, checksum_tag, MPI_COMM_WORLD);
  }
  void serve_gets() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) {
      std::uint64_t number = 0;
      MPI_Recv(&number, sizeof number, MPI_BYTE, peer_, get_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      send(number);
      if (used_ == window_) finish();
    }
    finish();
  }

 private:
  static constexpr int data_tag = 1;
  static constexpr int get_tag = 2;
  static constexpr int checksum_tag = 3;

  void send(std::uint64_t n) {
    MPI_Isend(mine_.piece(what_, n), static_cast<int>(what_.bytes), MPI_BYTE, peer_, data_tag,
              MPI_COMM_WORLD, &data_[static_cast<std::size_t>(used_++)]);
  }
  void receive(std::uint64_t n) {
    if (used_ == 0) first_ = n;
    MPI_Irecv(mine_.piece(what_, n), static_cast<int>(what_.bytes), MPI_BYTE, peer_, data_tag,
              MPI_COMM_WORLD, &data_[static_cast<std::size_t>(used_++)]);
  }
  void finish() {
    MPI_Waitall(used_, data_.data(), MPI_STATUSES_IGNORE);
    used_ = 0;
  }
  void finish_gets() {
    MPI_Waitall(used_, get_requests_.data(), MPI_STATUSES_IGNORE);
    finish_pieces();
  }
  // Reads each piece on arrival, if it is to be touched.
  void finish_pieces() {
    if (!what_.touched) MPI_Waitall(used_, data_.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < used_; ++i) {
      if (what_.touched) MPI_Wait(&data_[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
      checksum_ += piece_checksum(what_, mine_.piece(what_, first_ + static_cast<unsigned>(i)));
    }
    used_ = 0;
  }

  int peer_;
  int window_;
  bulk_buffer& mine_;
  bulk_spec what_{};
  std::vector<MPI_Request> data_, get_requests_;
  std::vector<std::uint64_t> get_numbers_;
  int used_ = 0;             // of data_
  std::uint64_t first_ = 0;  // the piece of data_[0]; the others follow it
  std::uint64_t checksum_ = 0;
};

}  // namespace calib
