// am-run's side of the connections: clients that send anything, in any order, and disconnect at any
// time. The server never waits for them, and its events for the job are consistent.
#include "target.hpp"

#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/job/epochs.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace am::detail;
using am_test::fuzz::input_reader;

namespace {

constexpr am_rank job_ranks = 3;

// As the job: it passes the events on to the epochs.
class listener final : public run::rank_events {
 public:
  void on_secret_wanted(unsigned epoch) override { all->draw_secret(epoch); }
  void on_joined(am_rank rank, unsigned epoch, pid_t pid) override {
    AM_PROMISE(rank < job_ranks && !joined[rank]);
    joined[rank] = true;
    all->note_joined(rank, epoch, pid);
    AM_PROMISE(all->is_joined(rank) && all->epoch(rank) == epoch);
  }
  void on_contributed(am_rank rank, unsigned epoch, std::string blobs) override {
    AM_PROMISE(seam::are_blobs(seam::as_bytes(blobs)));
    all->contribute(rank, epoch, std::move(blobs));
  }
  void on_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) override {
    all->note_watching(rank, epoch, exit_report);
  }
  void on_left(am_rank rank, unsigned epoch) override {
    joined[rank] = false;
    all->note_left(rank, epoch);
    AM_PROMISE(all->completed(rank) == epoch);
  }
  void on_lost(am_rank rank) override {
    joined[rank] = false;
    all->note_lost(rank);
  }
  void on_aborted(am_rank rank, int, std::string line) override {
    all->note_lost(rank);
    const auto printable = [](unsigned char c) { return c >= ' ' && c != 0x7f; };
    AM_PROMISE(line.size() <= boot::most_line_bytes);
    AM_PROMISE(std::ranges::all_of(line, printable));
    joined[rank] = false;
  }
  void on_failed(int, std::string line) override { AM_PROMISE(!line.empty()); }
  std::array<bool, job_ranks> joined{};
  run::epochs* all = nullptr;
};

// A process of some rank, as far as the server knows.
struct client {
  base::fd connection;
  base::fd lifeline;
};

class server_scenario {
 public:
  explicit server_scenario(input_reader input)
      : input_(input),
        server_(loop_, job_, am::detail::run::rank_set::block(0, job_ranks, job_ranks), {2, {}},
                "/dev/shm"),
        epochs_(
            server_, [this](int status, std::string line) { job_.on_failed(status, line); },
            job_ranks, std::chrono::seconds(30)) {
    job_.all = &epochs_;
    for (am_rank rank = 0; rank < job_ranks; ++rank)
      join_sockets_[rank] = server_.open_join_socket(rank);
  }

  void act() {
    const am_rank rank = input_.byte() % job_ranks;
    client& one = clients_[rank];
    switch (input_.byte() % 10) {
      case 0: hello(rank, boot::protocol_version, 2); break;
      case 1: {
        const std::uint32_t version = input_.number();
        hello(rank, version, input_.byte() % 3);
        break;
      }
      case 2: send(one, boot::make_frame(boot::frame_kind::fence, blobs())); break;
      case 3: send(one, boot::make_frame(boot::frame_kind::notify, exit_notification())); break;
      case 4: send(one, boot::make_frame(boot::frame_kind::leave, {})); break;
      case 5: {
        const auto kind = static_cast<boot::frame_kind>(input_.byte() % 10);
        send(one, boot::make_frame(kind, input_.text(input_.byte())));
        break;
      }
      case 6: send(one, input_.text(input_.byte())); break;
      case 7: disconnect(one); break;
      case 8: retire_rank(rank); break;
      default:
        server_.read_pending(rank);
        for (const std::string& line :
             epochs_.report_stalls(run::epochs::clock::now() + std::chrono::seconds(60)))
          AM_PROMISE(line.find("ranks have waited") != line.npos);
    }
    for (unsigned i = 0; i < 3; ++i) loop_.run_once(0);
    // Ranks that are still joined have not been reported.
    for (am_rank each = 0; each < job_ranks; ++each)
      if (!epochs_.is_joined(each)) job_.joined[each] = false;
    if ((input_.byte() & 1) != 0) drain(one);
  }

 private:
  void hello(am_rank rank, std::uint32_t version, unsigned count) {
    int connection[2];
    int lifeline[2];
    AM_PROMISE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, connection) == 0);
    AM_PROMISE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) == 0);
    const base::fd far_connection(connection[1]);
    const base::fd far_lifeline(lifeline[1]);
    client made{base::fd(connection[0]), base::fd(lifeline[0])};
    std::string text;
    seam::add_number(text, version);
    const int passed[] = {far_connection.get(), far_lifeline.get()};
    (void)base::send_with_descriptors(join_sockets_[rank].get(), text,
                                      std::span(passed).first(count), MSG_DONTWAIT);
    // The previous client stays connected, if it has been accepted.
    if (!epochs_.is_joined(rank)) clients_[rank] = std::move(made);
  }

  std::string blobs() {
    std::string body;
    for (unsigned count = input_.byte() % 4; count != 0; --count) {
      const std::string_view key = input_.text(input_.byte() % 8);
      const std::string_view blob = input_.text(input_.byte());
      seam::add_blob(body, key, std::as_bytes(std::span(blob.data(), blob.size())));
    }
    return body;
  }

  // Mostly valid offsets.
  std::string exit_notification() {
    std::string body;
    for (unsigned i = 0; i < 4; ++i)
      seam::add_long(body, input_.byte() % 4 != 0 ? 8U * input_.byte() : input_.long_number());
    return body;
  }

  // A part for each rank, and every part consists of blobs.
  static bool is_fenced(seam::bytes_view body) {
    seam::cursor at(body);
    for (am_rank rank = 0; rank < job_ranks; ++rank) {
      const auto length = at.number();
      const auto part = length ? at.bytes(*length) : std::nullopt;
      if (!part || !seam::are_blobs(*part)) return false;
    }
    return at.empty();
  }

  void send(client& one, std::string_view bytes) {
    if (one.connection.valid())
      (void)base::send_with_descriptors(one.connection.get(), bytes, {}, MSG_DONTWAIT);
  }
  void disconnect(client& one) { one = {}; }
  void retire_rank(am_rank rank) {
    disconnect(clients_[rank]);
    (void)epochs_.retire_rank(rank);
    AM_PROMISE(!epochs_.others_joined(rank) || job_.joined != decltype(job_.joined){});
  }

  // Answers are frames, whatever was sent.
  void drain(client& one) {
    std::array<std::byte, 4096> room;
    boot::frame_reader reader(boot::most_fenced_bytes);
    while (one.connection.valid()) {
      std::vector<base::fd> passed;
      const long count =
          base::receive_with_descriptors(one.connection.get(), room, passed, MSG_DONTWAIT);
      if (count <= 0) break;
      reader.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
      while (const auto answer = reader.next()) {
        const auto what = answer->kind;
        AM_PROMISE(what == boot::frame_kind::welcome || what == boot::frame_kind::refused ||
                   what == boot::frame_kind::fenced);
        if (what == boot::frame_kind::fenced) AM_PROMISE(is_fenced(answer->body));
      }
    }
  }

  input_reader input_;
  run::event_loop loop_;
  listener job_;
  run::rank_server server_;
  run::epochs epochs_;
  std::array<base::fd, job_ranks> join_sockets_;
  std::array<client, job_ranks> clients_;

 public:
  [[nodiscard]] bool is_done() const noexcept { return input_.empty(); }
};

}  // namespace

AM_FUZZ_TARGET(run_server) {
  server_scenario here{input_reader(input)};
  for (unsigned acts = 0; acts < 100 && !here.is_done(); ++acts) here.act();
}
