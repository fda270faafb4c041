// am-run's side of the conversations: ranks that say anything, in any order, and hang up when they
// like. The server never waits for them, and what it tells the job is in order.
#include "target.hpp"

#include <libam/base/error.hpp>
#include <libam/base/passing.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/server.hpp>

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace am::detail;
using am_test::fuzz::taken;

namespace {

constexpr am_rank ranks = 3;

class listener final : public run::server_listener {
 public:
  void joined(am_rank rank) override {
    AM_PROMISE(rank < ranks && !inside[rank]);
    inside[rank] = true;
  }
  void lost(am_rank rank) override { inside[rank] = false; }
  void aborted(am_rank rank, int, std::string line) override {
    const auto printable = [](unsigned char c) { return c >= ' ' && c != 0x7f; };
    AM_PROMISE(line.size() <= boot::most_line_bytes);
    AM_PROMISE(std::ranges::all_of(line, printable));
    inside[rank] = false;
  }
  void failed(int, std::string line) override { AM_PROMISE(!line.empty()); }
  void stalled(std::string line) override {
    AM_PROMISE(line.find("ranks have waited") != line.npos);
  }
  std::array<bool, ranks> inside{};
};

// A process of some rank, as far as the server can tell.
struct caller {
  base::fd talk;
  base::fd life;
};

class scene {
 public:
  explicit scene(taken input)
      : input_(input), server_(loop_, job_, ranks, {2, {}}, "/dev/shm", std::chrono::seconds(30)) {
    for (am_rank rank = 0; rank < ranks; ++rank) doors_[rank] = server_.open_door(rank);
  }

  void act() {
    const am_rank rank = input_.byte() % ranks;
    caller& one = callers_[rank];
    switch (input_.byte() % 10) {
      case 0: hello(rank, boot::protocol_version, 2); break;
      case 1: {
        const std::uint32_t version = input_.number();
        hello(rank, version, input_.byte() % 3);
        break;
      }
      case 2: say(one, boot::make_frame(boot::frame_kind::fence, blobs())); break;
      case 3: say(one, boot::make_frame(boot::frame_kind::watch, watch())); break;
      case 4: say(one, boot::make_frame(boot::frame_kind::leave, {})); break;
      case 5: {
        const auto kind = static_cast<boot::frame_kind>(input_.byte() % 10);
        say(one, boot::make_frame(kind, input_.text(input_.byte())));
        break;
      }
      case 6: say(one, input_.text(input_.byte())); break;
      case 7: hang_up(one); break;
      case 8: bury(rank); break;
      default:
        server_.settle(rank);
        server_.say_stalls(run::server::clock::now() + std::chrono::seconds(60));
    }
    for (unsigned i = 0; i < 3; ++i) loop_.turn(0);
    // What is left inside has not been told of.
    for (am_rank each = 0; each < ranks; ++each)
      if (!server_.inside(each)) job_.inside[each] = false;
    if ((input_.byte() & 1) != 0) drain(one);
  }

 private:
  void hello(am_rank rank, std::uint32_t version, unsigned count) {
    int talk[2];
    int life[2];
    AM_PROMISE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) == 0);
    AM_PROMISE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life) == 0);
    const base::fd far_talk(talk[1]);
    const base::fd far_life(life[1]);
    caller made{base::fd(talk[0]), base::fd(life[0])};
    std::string text;
    seam::add_number(text, version);
    const int passed[] = {far_talk.get(), far_life.get()};
    (void)base::send_with(doors_[rank].get(), text, std::span(passed).first(count), MSG_DONTWAIT);
    // The one before lives on beside it, if it has been let in.
    if (!server_.inside(rank)) callers_[rank] = std::move(made);
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

  // Mostly places that are there.
  std::string watch() {
    std::string body;
    for (unsigned i = 0; i < 4; ++i)
      seam::add_long(body, input_.byte() % 4 != 0 ? 8U * input_.byte() : input_.long_number());
    return body;
  }

  // A part for each rank, and every part is blobs.
  static bool is_fenced(seam::bytes_view body) {
    seam::cursor at(body);
    for (am_rank rank = 0; rank < ranks; ++rank) {
      const auto length = at.number();
      const auto part = length ? at.bytes(*length) : std::nullopt;
      if (!part || !seam::read_blobs(*part)) return false;
    }
    return at.empty();
  }

  void say(caller& one, std::string_view bytes) {
    if (one.talk.valid()) (void)base::send_with(one.talk.get(), bytes, {}, MSG_DONTWAIT);
  }
  void hang_up(caller& one) { one = {}; }
  void bury(am_rank rank) {
    hang_up(callers_[rank]);
    (void)server_.bury(rank);
    AM_PROMISE(!server_.others_inside(rank) || job_.inside != decltype(job_.inside){});
  }

  // Answers are frames, whatever was said.
  void drain(caller& one) {
    std::array<std::byte, 4096> room;
    boot::frame_reader reader(boot::most_fenced_bytes);
    while (one.talk.valid()) {
      std::vector<base::fd> passed;
      const long count = base::receive_with(one.talk.get(), room, passed, MSG_DONTWAIT);
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

  taken input_;
  run::event_loop loop_;
  listener job_;
  run::server server_;
  std::array<base::fd, ranks> doors_;
  std::array<caller, ranks> callers_;

 public:
  [[nodiscard]] bool over() const noexcept { return input_.empty(); }
};

}  // namespace

AM_FUZZ_TARGET(run_server) {
  scene here{taken(input)};
  for (unsigned acts = 0; acts < 100 && !here.over(); ++acts) here.act();
}
