// Messages of some size over MPI, as in a program that needs high rates: a ring of posted receives
// and a ring of sends in flight, each with a buffer of its own. If bidirectional, a side polls for
// messages after each send and while it waits for a buffer.
#pragma once

#include <calib/layers/medium_sides.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace calib {

class mpi_mediums : public medium_sides<mpi_mediums> {
 public:
  mpi_mediums(int peer, unsigned sends, unsigned receives)
      : peer_(peer), sends_(sends, MPI_REQUEST_NULL), receives_(receives, MPI_REQUEST_NULL) {}

  [[nodiscard]] std::string name() const {
    return "sends=" + std::to_string(sends_.size()) +
           ",receives=" + std::to_string(receives_.size());
  }
  void set(const medium_spec& what) {
    what_ = what;
    out_.set(sends_.size(), what.bytes);
    in_.set(receives_.size(), what.bytes);
  }

  void send_medium() {
    const std::size_t slot = next_ % sends_.size();
    while (!is_done(sends_[slot])) read_arrived();
    pack(out_[slot], what_.bytes, next_++);
    MPI_Isend(out_[slot], static_cast<int>(what_.bytes), MPI_BYTE, peer_, tag_medium,
              MPI_COMM_WORLD, &sends_[slot]);
    read_arrived();
  }

 private:
  friend medium_sides<mpi_mediums>;
  static constexpr int tag_medium = 4;
  static constexpr int tag_word = 5;

  void post_receives() {
    receives_posted_ = 0;
    while (receives_posted_ < std::min<std::uint64_t>(expected_, receives_.size())) post_receive();
  }
  void post_receive() {
    const std::size_t slot = receives_posted_++ % receives_.size();
    MPI_Irecv(in_[slot], static_cast<int>(what_.bytes), MPI_BYTE, peer_, tag_medium, MPI_COMM_WORLD,
              &receives_[slot]);
  }
  // The oldest receive, which has completed.
  void read_oldest() {
    read(in_[received_ % receives_.size()]);
    if (receives_posted_ < expected_) post_receive();
  }
  void wait_for_first() { read_next(); }
  void read_next() {
    MPI_Wait(&receives_[received_ % receives_.size()], MPI_STATUS_IGNORE);
    read_oldest();
  }
  void read_arrived() {
    while (received_ < expected_ && is_done(receives_[received_ % receives_.size()])) read_oldest();
  }
  void finish() {
    while (received_ < expected_) read_next();
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }
  static bool is_done(MPI_Request& one) {
    int done = 0;
    MPI_Test(&one, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  void send_word(std::uint64_t word) {
    MPI_Send(&word, sizeof word, MPI_BYTE, peer_, tag_word, MPI_COMM_WORLD);
  }
  std::uint64_t receive_word() {
    std::uint64_t word = 0;
    MPI_Recv(&word, sizeof word, MPI_BYTE, peer_, tag_word, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return word;
  }

  int peer_;
  std::vector<MPI_Request> sends_, receives_;
  message_buffers out_, in_;
  std::uint64_t receives_posted_ = 0;
};

}  // namespace calib
