// The thread runs the server's event loop; tests reach the server through sockets or a flag only.
#include "server_thread.hpp"

#include <libam/base/descriptor_passing.hpp>
#include <libam/boot/run/run.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace am_test {

using namespace am::detail;
using namespace std::chrono_literals;

server_thread::server_thread(const run::rank_set& ranks)
    : server_(loop_, *this, ranks, {2, {}}, base::default_folder),
      epochs_(
          server_, [this](int status, std::string line) { on_failed(status, std::move(line)); },
          ranks.job_size(), 30s) {
  for (const am_rank rank : ranks) join_sockets_.push_back(server_.open_join_socket(rank));
  thread_ = std::thread([this] {
    while (!stop_) {
      loop_.run_once(2);
      if (const int rank = to_retire_.exchange(no_rank); rank != no_rank)
        retired_ = epochs_.retire_rank(static_cast<am_rank>(rank)) ? 1 : 0;
      if (!advance_.exchange(false)) continue;
      for (const std::string& line : epochs_.report_stalls(run::epochs::clock::now() + 60s))
        note("stalled " + line);
    }
  });
}

server_thread::~server_thread() {
  stop_ = true;
  thread_.join();
}

bool server_thread::retire_rank(am_rank rank) {
  retired_ = not_yet;
  to_retire_ = static_cast<int>(rank);
  while (retired_ == not_yet) std::this_thread::yield();
  return retired_ == 1;
}

std::unique_ptr<seam::boot> server_thread::join(am_rank rank, std::string* why) {
  ::setenv("AM_JOB_FD", std::to_string(join_socket(rank)).c_str(), 1);
  std::string line;
  auto joined = boot::join_run(line);
  ::unsetenv("AM_JOB_FD");
  if (why != nullptr) *why = line;
  if (why == nullptr) REQUIRE_MESSAGE(joined, line);
  return joined;
}

std::vector<std::unique_ptr<seam::boot>> server_thread::join_all() {
  std::vector<std::unique_ptr<seam::boot>> ranks;
  for (am_rank rank = 0; rank < join_sockets_.size(); ++rank) ranks.push_back(join(rank));
  return ranks;
}

bool server_thread::has_event(std::string_view event) {
  const std::lock_guard hold(lock_);
  return std::find(events_.begin(), events_.end(), event) != events_.end();
}

bool server_thread::wait_for_event(std::string_view event) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!has_event(event)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

// Once the fences that were sent have been read.
void server_thread::advance_stalls() {
  std::this_thread::sleep_for(50ms);
  advance_ = true;
}

void server_thread::note(std::string event) {
  const std::lock_guard hold(lock_);
  events_.push_back(std::move(event));
}

void server_thread::on_lost(am_rank rank) {
  epochs_.note_lost(rank);
  note("lost " + std::to_string(rank));
}
void server_thread::on_aborted(am_rank rank, int exit_status, std::string line) {
  epochs_.note_lost(rank);
  note("aborted " + std::to_string(rank) + " " + std::to_string(exit_status) + " " + line);
}
void server_thread::on_failed(int, std::string line) { note("failed " + line); }

raw_client::raw_client(int join_socket, std::uint32_t version) {
  int connection[2];
  int lifeline[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, connection) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) == 0);
  connection_ = base::fd(connection[0]);
  const base::fd far_connection(connection[1]);
  const base::fd near_lifeline(lifeline[0]);
  const base::fd far_lifeline(lifeline[1]);
  std::string hello;
  seam::add_number(hello, version);
  const int passed[] = {far_connection.get(), far_lifeline.get()};
  REQUIRE(base::send_with_descriptors(join_socket, hello, passed, 0) > 0);
}

void raw_client::send(std::string_view bytes) {
  (void)base::send_with_descriptors(connection_.get(), bytes, {}, 0);
}

std::optional<std::pair<boot::frame_kind, std::string>> raw_client::receive_frame() {
  std::array<std::byte, 4096> room;
  std::vector<base::fd> passed;
  for (;;) {
    if (const auto frame = reader_.next()) {
      const auto* text = reinterpret_cast<const char*>(frame->body.data());
      return std::pair(frame->kind, std::string(text, frame->body.size()));
    }
    const long count = base::receive_with_descriptors(connection_.get(), room, passed, 0);
    if (count <= 0) return std::nullopt;
    reader_.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
  }
}

}  // namespace am_test
