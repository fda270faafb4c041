// Requests and pieces of any size by MPI, as a program writes them that wants answers and does not
// know what will come: a ring of MPI_Irecv with any tag at the side that answers, MPI_Isend and an
// MPI_Irecv for the answer at the side that asks. Pieces have a communicator of their own.
#pragma once

#include <calib/program/message.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/report.hpp>

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace calib {

enum mpi_tag : int { tag_asked = 1, tag_answer, tag_pieces, tag_piece, tag_counted, tag_last };

// Requests of MPI that follow each other round a ring.
class mpi_ring {
 public:
  explicit mpi_ring(std::size_t slots) : requests_(slots, MPI_REQUEST_NULL) {}

  // The next slot; whoever had it before has come to its end, with this status.
  std::size_t next(MPI_Status* status = MPI_STATUS_IGNORE) {
    const std::size_t slot = turn_++ % requests_.size();
    MPI_Wait(&requests_[slot], status);
    return slot;
  }
  MPI_Request& operator[](std::size_t slot) { return requests_[slot]; }

  void finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void cancel() {
    for (MPI_Request& one : requests_)
      if (one != MPI_REQUEST_NULL) MPI_Cancel(&one);
    finish();
  }

 private:
  std::vector<MPI_Request> requests_;
  std::size_t turn_ = 0;
};

// So many pieces may be on their way, each in a place of its own.
inline std::size_t most_pieces(std::size_t bytes) {
  return std::clamp<std::size_t>(pieces_room / bytes / 2, 1, 64);
}

inline void tell(int peer, mpi_tag what, std::uint64_t word, MPI_Comm over) {
  const message m{{word, 0, 0, 0}};
  MPI_Send(&m, sizeof m, MPI_BYTE, peer, what, over);
}

// The side that asks.
class mpi_asker {
 public:
  mpi_asker(int peer, MPI_Comm pieces) : peer_(peer), pieces_(pieces) {}

  void ping() {
    ask_blind();
    drain();
  }
  void ask() {
    ask_blind();
    if (open_ == most_open) take();
  }
  void ask_blind() {
    const std::size_t slot = asked_ % most_open;
    out_[slot] = numbered(asked_);
    MPI_Irecv(&in_[slot], sizeof(message), MPI_BYTE, peer_, tag_answer, MPI_COMM_WORLD,
              &both_[2 * slot]);
    MPI_Isend(&out_[slot], sizeof(message), MPI_BYTE, peer_, tag_asked, MPI_COMM_WORLD,
              &both_[2 * slot + 1]);
    ++asked_;
    ++open_;
  }
  // The answer to the oldest request.
  void take() {
    const std::size_t slot = (asked_ - open_) % most_open;
    MPI_Waitall(2, &both_[2 * slot], MPI_STATUSES_IGNORE);
    total_there_ = in_[slot].words[0];
    --open_;
  }
  void drain() {
    while (open_ > 0) take();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return most_open; }
  [[nodiscard]] static std::uint64_t flood_length() noexcept { return 50 * most_open; }
  [[nodiscard]] bool intact() const noexcept { return total_there_ == sum_of_first(asked_); }

  void prepare(std::size_t bytes) {
    end_pieces();
    bytes_ = bytes;
    shipped_ = mpi_ring(most_pieces(bytes));
    tell(peer_, tag_pieces, bytes, MPI_COMM_WORLD);
  }
  void ship(const std::byte* piece) {
    MPI_Request& free = shipped_[shipped_.next()];
    MPI_Isend(piece, static_cast<int>(bytes_), MPI_BYTE, peer_, tag_piece, pieces_, &free);
  }
  std::uint64_t settle_shipped() {
    const std::uint64_t numbers = ask_about_pieces(tag_counted);
    shipped_.finish();
    return numbers;
  }

  void leave() {
    end_pieces();
    tell(peer_, tag_last, 0, MPI_COMM_WORLD);
  }

 private:
  static constexpr std::size_t most_open = 256;  // so many requests may be without an answer

  // A larger piece must not find the receives that stand open for smaller ones.
  void end_pieces() {
    if (bytes_ != 0) (void)ask_about_pieces(tag_last);
    bytes_ = 0;
  }
  std::uint64_t ask_about_pieces(mpi_tag what) {
    tell(peer_, what, 0, pieces_);
    message answer{};
    MPI_Recv(&answer, sizeof answer, MPI_BYTE, peer_, tag_answer, pieces_, MPI_STATUS_IGNORE);
    return answer.words[0];
  }

  int peer_;
  MPI_Comm pieces_;
  std::vector<message> out_ = std::vector<message>(most_open);
  std::vector<message> in_ = std::vector<message>(most_open);
  // The receive of an answer and the send of its request, side by side.
  std::vector<MPI_Request> both_ = std::vector<MPI_Request>(2 * most_open, MPI_REQUEST_NULL);
  std::size_t open_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t total_there_ = 0;
  mpi_ring shipped_{1};
  std::size_t bytes_ = 0;  // of a piece; 0: nobody expects pieces
};

// The side that answers.
class mpi_answerer {
 public:
  mpi_answerer(int peer, MPI_Comm pieces) : peer_(peer), pieces_(pieces) {}

  // Until the other leaves.
  void serve() {
    for (std::size_t slot = 0; slot < slots; ++slot) receive(slot);
    for (;;) {
      MPI_Status what;
      const std::size_t slot = receives_.next(&what);
      if (what.MPI_TAG == tag_last) break;
      if (what.MPI_TAG == tag_pieces)
        serve_pieces(in_[slot].words[0]);
      else
        answer(in_[slot]);
      receive(slot);
    }
    receives_.cancel();
    answers_.finish();
  }

 private:
  static constexpr std::size_t slots = 256;

  void receive(std::size_t slot) {
    MPI_Irecv(&in_[slot], sizeof(message), MPI_BYTE, peer_, MPI_ANY_TAG, MPI_COMM_WORLD,
              &receives_[slot]);
  }
  void answer(const message& m) {
    total_ += sum(m);
    const std::size_t slot = answers_.next();
    out_[slot] = {{total_, 0, 0, 0}};
    MPI_Isend(&out_[slot], sizeof(message), MPI_BYTE, peer_, tag_answer, MPI_COMM_WORLD,
              &answers_[slot]);
  }

  // Pieces of this size, until there are no more.
  void serve_pieces(std::size_t bytes) {
    places_.set(bytes);
    mpi_ring coming(most_pieces(bytes));
    std::vector<std::byte*> at(most_pieces(bytes));
    const auto receive_piece = [&](std::size_t slot) {
      at[slot] = places_.next();
      MPI_Irecv(at[slot], static_cast<int>(bytes), MPI_BYTE, peer_, MPI_ANY_TAG, pieces_,
                &coming[slot]);
    };
    for (std::size_t slot = 0; slot < at.size(); ++slot) receive_piece(slot);
    for (;;) {
      MPI_Status what;
      const std::size_t slot = coming.next(&what);
      if (what.MPI_TAG == tag_last) break;
      if (what.MPI_TAG == tag_piece)
        numbers_ += number_of(at[slot]);
      else
        tell(peer_, tag_answer, numbers_, pieces_);
      receive_piece(slot);
    }
    coming.cancel();
    tell(peer_, tag_answer, numbers_, pieces_);
  }

  int peer_;
  MPI_Comm pieces_;
  std::vector<message> out_ = std::vector<message>(slots);
  std::vector<message> in_ = std::vector<message>(slots);
  mpi_ring receives_{slots};
  mpi_ring answers_{slots};
  std::uint64_t total_ = 0;
  places places_;
  std::uint64_t numbers_ = 0;
};

}  // namespace calib
