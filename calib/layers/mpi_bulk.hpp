// Bulk data by MPI: windows of MPI_Isend into MPI_Irecv, as its bandwidth benchmarks do. For a get
// the owner sends each piece when it is asked to.
#pragma once

#include <calib/program/script.hpp>

#include <mpi.h>

#include <utility>
#include <vector>

namespace calib {

class mpi_bulk {
 public:
  mpi_bulk(int peer, int window, cargo& mine) : peer_(peer), window_(window), mine_(mine) {
    const auto size = static_cast<std::size_t>(window);
    data_.resize(size);
    asks_.resize(size);
    wanted_.resize(size);
  }

  [[nodiscard]] std::string name() const { return "window=" + std::to_string(window_); }
  void set(const bulk& what) noexcept { what_ = what; }
  cargo& memory() noexcept { return mine_; }

  // ---- asking ----

  void store(std::uint64_t n) {
    send(n);
    if (used_ == window_) finish();
  }
  std::uint64_t settle_stores() {
    finish();
    std::uint64_t tallies = 0;
    MPI_Recv(&tallies, sizeof tallies, MPI_BYTE, peer_, answer_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return tallies;
  }
  void get(std::uint64_t n) {
    receive(n);
    const auto at = static_cast<std::size_t>(used_ - 1);
    wanted_[at] = n;
    MPI_Isend(&wanted_[at], sizeof n, MPI_BYTE, peer_, ask_tag, MPI_COMM_WORLD, &asks_[at]);
    if (used_ == window_) take_asked();
  }
  std::uint64_t settle_gets() {
    take_asked();
    return std::exchange(tallies_, 0);
  }

  // ---- answering ----

  void serve_stores() {
    for (std::uint64_t n = 0; n < what_.count();) {
      while (used_ < window_ && n < what_.count()) receive(n++);
      take_pieces();
    }
    const std::uint64_t tallies = std::exchange(tallies_, 0);
    MPI_Send(&tallies, sizeof tallies, MPI_BYTE, peer_, answer_tag, MPI_COMM_WORLD);
  }
  void serve_gets() {
    for (std::uint64_t n = 0; n < what_.count(); ++n) {
      std::uint64_t wanted = 0;
      MPI_Recv(&wanted, sizeof wanted, MPI_BYTE, peer_, ask_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      send(wanted);
      if (used_ == window_) finish();
    }
    finish();
  }

 private:
  static constexpr int data_tag = 1;
  static constexpr int ask_tag = 2;
  static constexpr int answer_tag = 3;

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
  void take_asked() {
    MPI_Waitall(used_, asks_.data(), MPI_STATUSES_IGNORE);
    take_pieces();
  }
  // Looks at each piece as soon as it is there, if it is to be touched.
  void take_pieces() {
    if (!what_.touched) MPI_Waitall(used_, data_.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < used_; ++i) {
      if (what_.touched) MPI_Wait(&data_[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
      tallies_ += tally(what_, mine_.piece(what_, first_ + static_cast<unsigned>(i)));
    }
    used_ = 0;
  }

  int peer_;
  int window_;
  cargo& mine_;
  bulk what_{};
  std::vector<MPI_Request> data_, asks_;
  std::vector<std::uint64_t> wanted_;
  int used_ = 0;             // of data_
  std::uint64_t first_ = 0;  // the piece of data_[0]; the others follow it
  std::uint64_t tallies_ = 0;
};

}  // namespace calib
