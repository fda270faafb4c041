// MPI as a library of two-sided messages.
#pragma once

#include <calib/program/two_sided.hpp>

#include <mpi.h>

#include <vector>

namespace calib {

// Has a buffer for bsend of `buffer_bytes`, which MPI wants to know beforehand.
class two_sided_mpi {
 public:
  using request = MPI_Request;

  static request none() { return MPI_REQUEST_NULL; }

  explicit two_sided_mpi(MPI_Comm over, std::size_t buffer_bytes = 0)
      : over_(over), buffer_(buffer_bytes) {
    if (!buffer_.empty()) MPI_Buffer_attach(buffer_.data(), count(buffer_.size()));
  }
  two_sided_mpi(const two_sided_mpi&) = delete;
  two_sided_mpi& operator=(const two_sided_mpi&) = delete;
  ~two_sided_mpi() {
    if (buffer_.empty()) return;
    void* was = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&was), &bytes);
  }

  [[nodiscard]] int rank() const {
    int mine = 0;
    MPI_Comm_rank(over_, &mine);
    return mine;
  }
  [[nodiscard]] int ranks() const {
    int all = 0;
    MPI_Comm_size(over_, &all);
    return all;
  }

  void send(int to, int tag, const std::byte* data, std::size_t bytes) {
    MPI_Send(data, count(bytes), MPI_BYTE, to, tag, over_);
  }
  void bsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    MPI_Bsend(data, count(bytes), MPI_BYTE, to, tag, over_);
  }
  void ssend(int to, int tag, const std::byte* data, std::size_t bytes) {
    MPI_Ssend(data, count(bytes), MPI_BYTE, to, tag, over_);
  }
  void rsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    MPI_Rsend(data, count(bytes), MPI_BYTE, to, tag, over_);
  }
  request isend(int to, int tag, const std::byte* data, std::size_t bytes) {
    request one;
    MPI_Isend(data, count(bytes), MPI_BYTE, to, tag, over_, &one);
    return one;
  }
  request issend(int to, int tag, const std::byte* data, std::size_t bytes) {
    request one;
    MPI_Issend(data, count(bytes), MPI_BYTE, to, tag, over_, &one);
    return one;
  }
  request irsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    request one;
    MPI_Irsend(data, count(bytes), MPI_BYTE, to, tag, over_, &one);
    return one;
  }
  void recv(int from, int tag, std::byte* room, std::size_t bytes) {
    MPI_Recv(room, count(bytes), MPI_BYTE, from, tag, over_, MPI_STATUS_IGNORE);
  }
  request irecv(int from, int tag, std::byte* room, std::size_t bytes) {
    request one;
    MPI_Irecv(room, count(bytes), MPI_BYTE, from, tag, over_, &one);
    return one;
  }
  void sendrecv(int to, int tag, const std::byte* data, std::size_t bytes, int from, int tag_from,
                std::byte* room, std::size_t room_bytes) {
    MPI_Sendrecv(data, count(bytes), MPI_BYTE, to, tag, room, count(room_bytes), MPI_BYTE, from,
                 tag_from, over_, MPI_STATUS_IGNORE);
  }

  [[nodiscard]] bool test(request& one) {
    int done = 0;
    MPI_Test(&one, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void wait(request& one) { MPI_Wait(&one, MPI_STATUS_IGNORE); }
  void wait_all(std::span<request> all) {
    MPI_Waitall(count(all.size()), all.data(), MPI_STATUSES_IGNORE);
  }
  void barrier() { MPI_Barrier(over_); }
  [[nodiscard]] double max(double mine) {
    double most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, over_);
    return most;
  }

 private:
  static int count(std::size_t bytes) noexcept { return static_cast<int>(bytes); }

  MPI_Comm over_;
  std::vector<std::byte> buffer_;
};
static_assert(two_sided<two_sided_mpi>);

}  // namespace calib
