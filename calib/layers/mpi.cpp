// openmpi and mpich: messages of 32 bytes over MPI, as in its benchmarks: a round trip is MPI_Send
// and MPI_Recv, a flood is windows of MPI_Isend and MPI_Irecv completed by MPI_Waitall. With
// --signature as in a program with requests (mpi_requests.hpp). Compiled once with each MPI.
#include <calib/layers/mpi_bulk.hpp>
#include <calib/layers/mpi_mediums.hpp>
#include <calib/layers/mpi_process.hpp>
#include <calib/layers/mpi_requests.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/message.hpp>
#include <calib/program/probe_runner.hpp>

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace calib;

class mpi {
 public:
  mpi(int peer, int window, unsigned windows)
      : peer_(peer),
        window_(window),
        windows_(windows),
        out_(size()),
        in_(size()),
        sends_(size()),
        receives_(size()) {}

  // ---- requester ----

  void ping() {
    finish_posts();
    const message m = make_message(sent_++);
    message reply;
    MPI_Send(&m, sizeof m, MPI_BYTE, peer_, 0, MPI_COMM_WORLD);
    MPI_Recv(&reply, sizeof reply, MPI_BYTE, peer_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    remote_total_ = reply.words[0];
  }
  void post() {
    send(make_message(sent_++));
    if (used_ == window_) finish_posts();
  }
  void request() {
    receive();
    send(make_message(sent_++));
    if (used_ == window_) finish_requests();
  }
  void drain() { finish_requests(); }
  [[nodiscard]] std::uint64_t flood_length() const { return windows_ * size(); }
  [[nodiscard]] bool intact() const { return remote_total_ == sum_of_first(sent_); }

  // ---- responder ----

  void serve_pings(std::uint64_t count) {
    for (; count > 0; --count) {
      message m;
      MPI_Recv(&m, sizeof m, MPI_BYTE, peer_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      total_ += sum(m);
      const message reply{{total_, 0, 0, 0}};
      MPI_Send(&reply, sizeof reply, MPI_BYTE, peer_, 0, MPI_COMM_WORLD);
    }
  }
  void serve_posts(std::uint64_t count) {
    for (; count > 0; count -= size()) {
      for (expected_ = 0; expected_ < window_;) receive();
      MPI_Waitall(window_, receives_.data(), MPI_STATUSES_IGNORE);
      for (const message& m : in_) total_ += sum(m);
    }
    expected_ = 0;
  }
  void serve_requests(std::uint64_t count) {
    for (; count > 0; count -= size()) {
      for (expected_ = 0; expected_ < window_;) receive();
      for (std::size_t i = 0; i < size(); ++i) {
        MPI_Wait(&receives_[i], MPI_STATUS_IGNORE);
        total_ += sum(in_[i]);
        send({{total_, 0, 0, 0}});
      }
      finish_posts();
    }
    expected_ = 0;
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(window_); }

  void send(const message& m) {
    const auto at = static_cast<std::size_t>(used_++);
    out_[at] = m;
    MPI_Isend(&out_[at], sizeof m, MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &sends_[at]);
  }
  void receive() {
    const auto at = static_cast<std::size_t>(expected_++);
    MPI_Irecv(&in_[at], sizeof(message), MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &receives_[at]);
  }
  void finish_posts() {
    MPI_Waitall(used_, sends_.data(), MPI_STATUSES_IGNORE);
    used_ = 0;
  }
  void finish_requests() {
    MPI_Waitall(expected_, receives_.data(), MPI_STATUSES_IGNORE);
    if (expected_ > 0) remote_total_ = in_[static_cast<std::size_t>(expected_ - 1)].words[0];
    expected_ = 0;
    finish_posts();
  }

  int peer_;
  int window_;
  std::uint64_t windows_;  // in a flood
  std::vector<message> out_, in_;
  std::vector<MPI_Request> sends_, receives_;
  int used_ = 0;      // of sends_
  int expected_ = 0;  // of receives_
  std::uint64_t sent_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;
};

void measure_small(probe_runner& runner, int peer, const options& opts) {
  for (const int window : {64, 256, 1024}) {
    mpi layer(peer, window, opts.windows);
    const std::string name = "window=" + std::to_string(window);
    if (window == 64) runner.rtt(layer, "send-recv");
    runner.flood(layer, name);
    runner.rr_flood(layer, name);
  }
}

// None of these is best at every size, in one and both directions, and with each MPI.
void measure_mediums(probe_runner& runner, int peer) {
  constexpr std::pair<unsigned, unsigned> rings[] = {{1, 8}, {1, 64}, {8, 64}, {64, 64}};
  for (const auto& [sends, receives] : rings) {
    mpi_mediums layer(peer, sends, receives);
    runner.medium(layer, layer.name());
  }
}

void run_signature(side mine, int peer, const options& opts) {
  MPI_Comm pieces = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &pieces);
  if (mine == side::responder) {
    mpi_responder(peer, pieces).serve();
  } else {
    mpi_requester layer(peer, pieces);
    calibrate(layer, sent_pieces(layer), opts);
    layer.leave();
  }
  MPI_Comm_free(&pieces);
}

// Gets first, because they leave the responder's data unchanged. A window that holds all pieces of
// a sample is equivalent to any larger one.
void measure_bulk(probe_runner& runner, int peer, const options& opts) {
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) return;
  bulk_buffer mine(memory_bytes);
  mpi_bulk usual(peer, 64, mine);
  mpi_bulk many(peer, 256, mine);
  const std::pair<mpi_bulk*, std::uint64_t> all[] = {{&usual, 0}, {&many, 64}};
  for (const auto& [layer, above] : all) runner.get_bulk(*layer, layer->name(), above);
  for (const auto& [layer, above] : all) runner.store_bulk(*layer, layer->name(), above);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const options opts = parse(argc, argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) report::fault("needs 2 processes, has " + std::to_string(ranks));
  pin(rank);
  if (rank == 0) note_mpi();

  const side mine = rank == 0 ? side::requester : side::responder;
  if (opts.signature) {
    run_signature(mine, 1 - rank, opts);
  } else {
    probe_runner runner(mine, opts);
    measure_small(runner, 1 - rank, opts);
    measure_mediums(runner, 1 - rank);
    measure_bulk(runner, 1 - rank, opts);
  }
  if (rank == 0) report::done();
  leave_mpi();
}
