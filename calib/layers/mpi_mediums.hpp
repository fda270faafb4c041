// Messages of some size by MPI, as a program sends them that wants them fast: a ring of receives
// that stand open, and another of sends under way, each with a buffer of its own. Both ways a side
// looks at what has come after each send, and while it waits for a buffer.
#pragma once

#include <calib/program/mediums.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace calib {

class mpi_mediums {
 public:
  mpi_mediums(int peer, unsigned sends, unsigned receives)
      : peer_(peer), sends_(sends, MPI_REQUEST_NULL), receives_(receives, MPI_REQUEST_NULL) {}

  [[nodiscard]] std::string name() const {
    return "sends=" + std::to_string(sends_.size()) +
           ",receives=" + std::to_string(receives_.size());
  }
  void set(const mediums& what) {
    what_ = what;
    out_.set(sends_.size(), what.bytes);
    in_.set(receives_.size(), what.bytes);
  }

  // ---- asking ----

  void meet() {
    begin(what_.both_ways ? what_.count : 0);
    (void)hear();
  }
  void send_medium() {
    const std::size_t slot = next_ % sends_.size();
    while (!ended(sends_[slot])) take_arrived();
    pack(out_[slot], what_.bytes, next_++);
    MPI_Isend(out_[slot], static_cast<int>(what_.bytes), MPI_BYTE, peer_, tag_medium,
              MPI_COMM_WORLD, &sends_[slot]);
    take_arrived();
  }
  void settle_mediums() {
    take_rest();
    sum_there_ = hear();
  }
  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = sum_of(what_, first_);
    return sum_there_ == sum && sum_ == (what_.both_ways ? sum : 0);
  }

  // ---- answering ----

  void serve_mediums() {
    begin(what_.count);
    say(0);
    if (what_.both_ways) {
      take();
      for (std::uint64_t i = 0; i < what_.count; ++i) send_medium();
    } else {
      next_ += what_.count;
    }
    take_rest();
    say(sum_);
  }

 private:
  static constexpr int tag_medium = 4;
  static constexpr int tag_word = 5;

  // A sample in which so many come.
  void begin(std::uint64_t coming) {
    first_ = next_;
    sum_ = opened_ = taken_ = 0;
    coming_ = coming;
    while (opened_ < std::min<std::uint64_t>(coming_, receives_.size())) open();
  }

  void open() {
    const std::size_t slot = opened_++ % receives_.size();
    MPI_Irecv(in_[slot], static_cast<int>(what_.bytes), MPI_BYTE, peer_, tag_medium, MPI_COMM_WORLD,
              &receives_[slot]);
  }
  // The oldest, which has come.
  void read() {
    const std::size_t slot = taken_++ % receives_.size();
    sum_ += unpack(in_[slot], what_.bytes);
    if (opened_ < coming_) open();
  }
  void take() {
    MPI_Wait(&receives_[taken_ % receives_.size()], MPI_STATUS_IGNORE);
    read();
  }
  void take_arrived() {
    while (taken_ < coming_ && ended(receives_[taken_ % receives_.size()])) read();
  }
  void take_rest() {
    while (taken_ < coming_) take();
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }
  static bool ended(MPI_Request& one) {
    int is = 0;
    MPI_Test(&one, &is, MPI_STATUS_IGNORE);
    return is != 0;
  }

  void say(std::uint64_t word) {
    MPI_Send(&word, sizeof word, MPI_BYTE, peer_, tag_word, MPI_COMM_WORLD);
  }
  std::uint64_t hear() {
    std::uint64_t word = 0;
    MPI_Recv(&word, sizeof word, MPI_BYTE, peer_, tag_word, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return word;
  }

  int peer_;
  std::vector<MPI_Request> sends_, receives_;
  buffers out_, in_;
  mediums what_{};
  std::uint64_t first_ = 0;  // number of this sample
  std::uint64_t next_ = 0;
  std::uint64_t coming_ = 0;  // in this sample
  std::uint64_t opened_ = 0;  // receives
  std::uint64_t taken_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t sum_there_ = 0;
};

}  // namespace calib
