// Requests and pieces of any size over MPI, as in a program whose responder does not know what will
// arrive: a ring of MPI_Irecv with any tag at the responder; MPI_Isend, and an MPI_Irecv for the
// reply, at the requester. Pieces have a communicator of their own.
#pragma once

#include <calib/program/message.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/report.hpp>

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace calib {

enum mpi_tag : int {
  tag_request = 1,
  tag_reply,
  tag_piece_bytes,
  tag_piece,
  tag_query_sum,
  tag_last
};

// A ring of MPI requests.
class mpi_ring {
 public:
  explicit mpi_ring(std::size_t slots) : requests_(slots, MPI_REQUEST_NULL) {}

  // The next slot, after its previous request has completed with this status.
  std::size_t next(MPI_Status* status = MPI_STATUS_IGNORE) {
    const std::size_t slot = next_slot_++ % requests_.size();
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
  std::size_t next_slot_ = 0;
};

// The limit of pieces in flight, each in a place of its own.
inline std::size_t max_pieces(std::size_t bytes) {
  return std::clamp<std::size_t>(piece_memory_bytes / bytes / 2, 1, 64);
}

inline void send_word(int peer, mpi_tag what, std::uint64_t word, MPI_Comm over) {
  const message m{{word, 0, 0, 0}};
  MPI_Send(&m, sizeof m, MPI_BYTE, peer, what, over);
}

class mpi_requester {
 public:
  mpi_requester(int peer, MPI_Comm pieces) : peer_(peer), pieces_(pieces) {}

  void ping() {
    request_without_poll();
    drain();
  }
  void request() {
    request_without_poll();
    if (outstanding_ == max_outstanding) receive_reply();
  }
  void request_without_poll() {
    const std::size_t slot = requested_ % max_outstanding;
    out_[slot] = make_message(requested_);
    MPI_Irecv(&in_[slot], sizeof(message), MPI_BYTE, peer_, tag_reply, MPI_COMM_WORLD,
              &both_[2 * slot]);
    MPI_Isend(&out_[slot], sizeof(message), MPI_BYTE, peer_, tag_request, MPI_COMM_WORLD,
              &both_[2 * slot + 1]);
    ++requested_;
    ++outstanding_;
  }
  // The reply to the oldest request.
  void receive_reply() {
    const std::size_t slot = (requested_ - outstanding_) % max_outstanding;
    MPI_Waitall(2, &both_[2 * slot], MPI_STATUSES_IGNORE);
    remote_total_ = in_[slot].words[0];
    --outstanding_;
  }
  void drain() {
    while (outstanding_ > 0) receive_reply();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return max_outstanding; }
  [[nodiscard]] static std::uint64_t flood_length() noexcept { return 50 * max_outstanding; }
  [[nodiscard]] bool intact() const noexcept { return remote_total_ == sum_of_first(requested_); }

  void set_piece_bytes(std::size_t bytes) {
    end_pieces();
    bytes_ = bytes;
    sent_pieces_ = mpi_ring(max_pieces(bytes));
    send_word(peer_, tag_piece_bytes, bytes, MPI_COMM_WORLD);
  }
  void send_piece(const std::byte* piece) {
    MPI_Request& free = sent_pieces_[sent_pieces_.next()];
    MPI_Isend(piece, static_cast<int>(bytes_), MPI_BYTE, peer_, tag_piece, pieces_, &free);
  }
  std::uint64_t wait_for_pieces() {
    const std::uint64_t numbers = query_pieces(tag_query_sum);
    sent_pieces_.finish();
    return numbers;
  }

  void leave() {
    end_pieces();
    send_word(peer_, tag_last, 0, MPI_COMM_WORLD);
  }

 private:
  static constexpr std::size_t max_outstanding = 256;

  // A larger piece must not match a receive that was posted for smaller ones.
  void end_pieces() {
    if (bytes_ != 0) (void)query_pieces(tag_last);
    bytes_ = 0;
  }
  std::uint64_t query_pieces(mpi_tag what) {
    send_word(peer_, what, 0, pieces_);
    message reply{};
    MPI_Recv(&reply, sizeof reply, MPI_BYTE, peer_, tag_reply, pieces_, MPI_STATUS_IGNORE);
    return reply.words[0];
  }

  int peer_;
  MPI_Comm pieces_;
  std::vector<message> out_ = std::vector<message>(max_outstanding);
  std::vector<message> in_ = std::vector<message>(max_outstanding);
  // For each slot the receive of the reply and the send of the request.
  std::vector<MPI_Request> both_ = std::vector<MPI_Request>(2 * max_outstanding, MPI_REQUEST_NULL);
  std::size_t outstanding_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t remote_total_ = 0;
  mpi_ring sent_pieces_{1};
  std::size_t bytes_ = 0;  // of a piece; 0: the responder expects no pieces
};

class mpi_responder {
 public:
  mpi_responder(int peer, MPI_Comm pieces) : peer_(peer), pieces_(pieces) {}

  // Until the requester leaves.
  void serve() {
    for (std::size_t slot = 0; slot < slots; ++slot) receive(slot);
    for (;;) {
      MPI_Status what;
      const std::size_t slot = receives_.next(&what);
      if (what.MPI_TAG == tag_last) break;
      if (what.MPI_TAG == tag_piece_bytes)
        serve_pieces(in_[slot].words[0]);
      else
        send_reply(in_[slot]);
      receive(slot);
    }
    receives_.cancel();
    replies_.finish();
  }

 private:
  static constexpr std::size_t slots = 256;

  void receive(std::size_t slot) {
    MPI_Irecv(&in_[slot], sizeof(message), MPI_BYTE, peer_, MPI_ANY_TAG, MPI_COMM_WORLD,
              &receives_[slot]);
  }
  void send_reply(const message& m) {
    total_ += sum(m);
    const std::size_t slot = replies_.next();
    out_[slot] = {{total_, 0, 0, 0}};
    MPI_Isend(&out_[slot], sizeof(message), MPI_BYTE, peer_, tag_reply, MPI_COMM_WORLD,
              &replies_[slot]);
  }

  // Pieces of this size, until tag_last.
  void serve_pieces(std::size_t bytes) {
    piece_slots_.set(bytes);
    mpi_ring receives(max_pieces(bytes));
    std::vector<std::byte*> at(max_pieces(bytes));
    const auto receive_piece = [&](std::size_t slot) {
      at[slot] = piece_slots_.next();
      MPI_Irecv(at[slot], static_cast<int>(bytes), MPI_BYTE, peer_, MPI_ANY_TAG, pieces_,
                &receives[slot]);
    };
    for (std::size_t slot = 0; slot < at.size(); ++slot) receive_piece(slot);
    for (;;) {
      MPI_Status what;
      const std::size_t slot = receives.next(&what);
      if (what.MPI_TAG == tag_last) break;
      if (what.MPI_TAG == tag_piece)
        number_sum_ += number_of(at[slot]);
      else
        send_word(peer_, tag_reply, number_sum_, pieces_);
      receive_piece(slot);
    }
    receives.cancel();
    send_word(peer_, tag_reply, number_sum_, pieces_);
  }

  int peer_;
  MPI_Comm pieces_;
  std::vector<message> out_ = std::vector<message>(slots);
  std::vector<message> in_ = std::vector<message>(slots);
  mpi_ring receives_{slots};
  mpi_ring replies_{slots};
  std::uint64_t total_ = 0;
  piece_slots piece_slots_;
  std::uint64_t number_sum_ = 0;
};

}  // namespace calib
