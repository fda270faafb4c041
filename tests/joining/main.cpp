// Joins in unusual processes, and checks that the job works like any other:
//   am-run -n N test-joining unstreamed      no standard stream is open
//   am-run -n N test-joining small-files     file sizes are limited below the job's memory
//   am-run -n N test-joining storm TIMES     a signal every 100 us interrupts calls
#include "../support/signal_storm.hpp"

#include <am/am.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace {

unsigned answers = 0;
void on_reply(am::reply_token) { ++answers; }
void on_request(am::request_token t) { t.reply<on_reply>(); }
void on_medium(am::request_token, am::bytes_in) {}

void exchange_with_all(am::endpoint& ep) {
  const unsigned before = answers;
  for (am::rank_id to = 0; to < ep.ranks(); ++to) ep.request<on_request>(to);
  ep.wait([&] { return answers == before + ep.ranks(); });
  ep.job_fence();
}

// The number of the closed streams' descriptors that are in use; each is reported.
int streams_in_use(int report_to, const char* when) {
  int used = 0;
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0) continue;
    std::error_code none;
    const auto what =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(stream), none);
    ::dprintf(report_to, "%s: descriptor %d is %s\n", when, stream, what.c_str());
    ++used;
  }
  return used;
}

int join_unstreamed(int argc, char** argv) {
  const int errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) ::close(stream);
  int used = 0;
  try {
    am::endpoint ep = am::join(argc, argv);
    used += streams_in_use(errors, "after the join");
    exchange_with_all(ep);
    const am::segment own(ep, 100000);
    exchange_with_all(ep);
    used += streams_in_use(errors, "after contact");
    ep.close();
    used += streams_in_use(errors, "after close");
  } catch (const am::error& error) {
    ::dprintf(errors, "%s\n", error.what());
    return 1;
  }
  return used == 0 ? 0 : 1;
}

// Bulk data and a segment, too: UCX makes files for them. CMakeLists.txt checks the output.
int join_with_small_files(int argc, char** argv) {
  for (const rlim_t most : {4U << 20, 2U << 20, 1U << 20, 64U << 10, 1U << 10, 0U}) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = most;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    am::endpoint ep = am::join(argc, argv);
    exchange_with_all(ep);
    static std::vector<std::byte> data(1U << 20);
    try {
      am::segment own(ep, data.size());
    } catch (const am::error&) {  // where there is no room for a segment
    }
    for (unsigned i = 0; i < 500; ++i)
      ep.request<on_medium>((ep.rank() + i) % ep.ranks(), std::span(data).first(ep.max_medium()));
    ep.job_fence();
    ep.close();
  }
  return 0;
}

int join_in_a_storm(int argc, char** argv, int times) {
  const am_test::signal_storm outside;
  for (int i = 0; i < times; ++i) {
    am::endpoint ep = am::join(argc, argv);
    exchange_with_all(ep);
    ep.close();
  }
  if (outside.signals() != 0) return 0;
  std::fputs("no signal has come\n", stderr);
  return 1;
}

}  // namespace

AM_HANDLER(on_reply, "on_reply");
AM_HANDLER(on_request, "on_request");
AM_HANDLER(on_medium, "on_medium");

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "unstreamed") return join_unstreamed(argc, argv);
  if (what == "small-files") return join_with_small_files(argc, argv);
  if (what == "storm" && argc > 2) return join_in_a_storm(argc, argv, std::atoi(argv[2]));
  return 2;
}
