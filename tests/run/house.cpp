// The server's thread turns its loop; everything the tests ask of it goes through sockets or a
// flag.
#include "house.hpp"

#include <libam/base/passing.hpp>
#include <libam/boot/run/run.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace am::test {

using namespace am::detail;
using namespace std::chrono_literals;

house::house(am_rank ranks) : server_(loop_, *this, ranks, {2, {}}, base::usual_folder, 30s) {
  for (am_rank rank = 0; rank < ranks; ++rank) doors_.push_back(server_.open_door(rank));
  thread_ = std::thread([this] {
    while (!stop_) {
      loop_.turn(2);
      if (const int rank = to_bury_.exchange(nobody); rank != nobody)
        buried_ = server_.bury(static_cast<am_rank>(rank)) ? 1 : 0;
      if (advance_.exchange(false)) server_.say_stalls(run::server::clock::now() + 60s);
    }
  });
}

house::~house() {
  stop_ = true;
  thread_.join();
}

bool house::bury(am_rank rank) {
  buried_ = not_yet;
  to_bury_ = static_cast<int>(rank);
  while (buried_ == not_yet) std::this_thread::yield();
  return buried_ == 1;
}

std::unique_ptr<seam::boot> house::join(am_rank rank, std::string* why) {
  ::setenv("AM_JOB_FD", std::to_string(door(rank)).c_str(), 1);
  std::string line;
  auto joined = boot::join_run(line);
  ::unsetenv("AM_JOB_FD");
  if (why != nullptr) *why = line;
  if (why == nullptr) REQUIRE_MESSAGE(joined, line);
  return joined;
}

std::vector<std::unique_ptr<seam::boot>> house::join_all() {
  std::vector<std::unique_ptr<seam::boot>> ranks;
  for (am_rank rank = 0; rank < doors_.size(); ++rank) ranks.push_back(join(rank));
  return ranks;
}

bool house::heard_yet(std::string_view event) {
  const std::lock_guard hold(lock_);
  return std::find(events_.begin(), events_.end(), event) != events_.end();
}

bool house::heard(std::string_view event) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!heard_yet(event)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

// Once the fences that were sent have been read.
void house::advance_stalls() {
  std::this_thread::sleep_for(50ms);
  advance_ = true;
}

void house::note(std::string event) {
  const std::lock_guard hold(lock_);
  events_.push_back(std::move(event));
}

void house::lost(am_rank rank) { note("lost " + std::to_string(rank)); }
void house::aborted(am_rank rank, int exit_status, std::string line) {
  note("aborted " + std::to_string(rank) + " " + std::to_string(exit_status) + " " + line);
}
void house::failed(int, std::string line) { note("failed " + line); }
void house::stalled(std::string line) { note("stalled " + line); }

stranger::stranger(int door, std::uint32_t version) {
  int talk[2];
  int life[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life) == 0);
  conversation_ = base::fd(talk[0]);
  const base::fd far_talk(talk[1]);
  const base::fd near_life(life[0]);
  const base::fd far_life(life[1]);
  std::string hello;
  seam::add_number(hello, version);
  const int passed[] = {far_talk.get(), far_life.get()};
  REQUIRE(base::send_with(door, hello, passed, 0) > 0);
}

void stranger::say(std::string_view bytes) {
  (void)base::send_with(conversation_.get(), bytes, {}, 0);
}

std::optional<std::pair<boot::frame_kind, std::string>> stranger::answer() {
  std::array<std::byte, 4096> room;
  std::vector<base::fd> passed;
  for (;;) {
    if (const auto frame = reader_.next()) {
      const auto* text = reinterpret_cast<const char*>(frame->body.data());
      return std::pair(frame->kind, std::string(text, frame->body.size()));
    }
    const long count = base::receive_with(conversation_.get(), room, passed, 0);
    if (count <= 0) return std::nullopt;
    reader_.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
  }
}

}  // namespace am::test
