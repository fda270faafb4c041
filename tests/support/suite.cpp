#include "suite.hpp"

#include "watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace am_test {
namespace {

struct one_case {
  const char* name;
  case_fn* body;
  needs wanted;
};

std::vector<one_case>& cases() {
  static std::vector<one_case> all;
  return all;
}

// This thread's rank.
thread_local am::rank_id my_rank = 0;
thread_local const char* my_case = "";
thread_local int my_failures = 0;
thread_local int failures_in_case = 0;
constexpr int max_reported = 5;  // for each case; further ones add nothing

void print_line(const std::string& text) {
  const std::string whole = text + "\n";
  (void)!::write(2, whole.data(), whole.size());
}

bool can_run(const needs& wanted, const session& job, bool as_threads) {
  return job.ranks() >= wanted.ranks && !(wanted.processes && as_threads);
}

}  // namespace

bool add_case(const char* name, case_fn* body, needs wanted) noexcept {
  cases().push_back({name, body, wanted});
  return true;
}

void fail(const char* file, int line, const std::string& what) {
  ++my_failures;
  if (++failures_in_case > max_reported) return;
  std::ostringstream out;
  out << "rank " << my_rank << ": " << file << ":" << line << ": " << what << "  [" << my_case
      << "]";
  print_line(out.str());
}

std::uint32_t session::per_pair(std::uint32_t total) const noexcept {
  return std::max(40U, total / slowness() / share_ / (ranks_ * ranks_));
}

std::uint32_t session::per_rank(std::uint32_t total) const noexcept {
  return std::max(40U, total / slowness() / share_);
}

int run_cases(session& job, bool as_threads, std::string_view only) {
  int ran = 0;
  int skipped = 0;
  my_rank = job.rank();
  for (const one_case& it : cases()) {
    if (std::string_view(it.name).find(only) == std::string_view::npos) continue;
    if (!can_run(it.wanted, job, as_threads)) {
      ++skipped;
      continue;
    }
    my_case = it.name;
    failures_in_case = 0;
    if (!as_threads || my_rank == 0) feed_watchdog(100, it.name);
    try {
      it.body(job);
      job.ep().job_fence();
    } catch (const std::exception& e) {
      // Otherwise the other ranks would wait for this one forever.
      fail(it.name, 0, std::string("threw: ") + e.what());
      job.ep().abort(1);
    }
    ++ran;
  }
  if (my_rank == 0) {
    std::ostringstream out;
    out << "conformance: " << job.ranks() << " ranks, " << ran << " cases, " << skipped
        << " skipped, " << my_failures << " failed at rank 0";
    print_line(out.str());
  }
  // A run without a case proves nothing.
  return my_failures == 0 && ran > 0 ? 0 : 1;
}

}  // namespace am_test
