// Floods the ranks of a job with random requests for some seconds, then compares the accounts of
// all ranks.
#include "options.hpp"
#include "traffic.hpp"

#include <am/am.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>

namespace {

using clock_type = std::chrono::steady_clock;
using totals = std::vector<std::uint64_t>;

// A rank that has died or is lost gets no more; a call that finds that out has failed and sent
// nothing.
void send_to(am::rank_id to, am::endpoint& ep, stress::traffic& traffic) try {
  if (traffic.is_gone(to))
    ep.poll();
  else
    traffic.send_one(to);
} catch (const am::error& error) {
  const bool never_was_there = error.status() == AM_PEER_UNREACHABLE && ep.deaths() == 0;
  if (error.status().reason() != AM_REASON_PEER || never_was_there) throw;
}

void flood(const stress::options& requested, am::endpoint& ep, stress::traffic& traffic) {
  constexpr int requests_between_clock_reads = 64;
  const auto end = clock_type::now() + std::chrono::duration<double>(requested.seconds);
  while (clock_type::now() < end)
    for (int i = 0; i < requests_between_clock_reads; ++i)
      send_to(traffic.choose_target(), ep, traffic);
}

void publish(am::endpoint& ep, const char* key, const totals& numbers) {
  ep.job_put(key, std::as_bytes(std::span(numbers)));
}

// Empty for a rank that had died before.
totals published(am::endpoint& ep, am::rank_id rank, const char* key) try {
  const std::vector<std::byte> blob = ep.job_get(rank, key);
  totals numbers(blob.size() / sizeof(std::uint64_t));
  std::memcpy(numbers.data(), blob.data(), blob.size());
  return numbers;
} catch (const am::error& error) {
  if (ep.deaths() == 0) throw;
  return {};
}

// How many requests the others have sent to this rank.
totals expected_requests(am::endpoint& ep, const stress::traffic& traffic) {
  totals sent;
  for (const stress::account& each : traffic.accounts()) sent.push_back(each.sent);
  publish(ep, "sent", sent);
  ep.job_fence();
  totals due;
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
    const totals theirs = published(ep, rank, "sent");
    due.push_back(theirs.empty() ? 0 : theirs[ep.rank()]);
  }
  return due;
}

// Serves the others until all that was sent has come, or long enough for it to be lost.
void wait_for_all(am::endpoint& ep, stress::traffic& traffic, const totals& due) {
  constexpr auto long_enough = std::chrono::seconds(30);
  const auto complete = [&] {
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
      if (!traffic.is_gone(rank) && traffic.accounts()[rank].handled < due[rank]) return false;
    return traffic.all_answered();
  };
  if (!ep.wait_for(complete, long_enough)) {
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
      const stress::account& with = traffic.accounts()[rank];
      if (with.gone) continue;
      if (with.handled < due[rank]) traffic.complain(rank, "requests", with.handled, due[rank]);
      if (with.answered < with.asked) traffic.complain(rank, "replies", with.answered, with.asked);
    }
  }
}

struct sums {
  std::uint64_t requests = 0;
  std::uint64_t handled = 0;
  std::uint64_t came_back = 0;
  std::uint64_t lost = 0;
  std::uint64_t wrong = 0;
};

// A request has run, or was returned; for one returned as unknown it is not known whether it has
// run.
void compare_pair(const std::uint64_t* sender, std::uint64_t handled, sums& add_to) {
  const std::uint64_t sent = sender[0];
  const std::uint64_t not_run = sender[1];
  const std::uint64_t unknown = sender[2];
  add_to.requests += sent;
  add_to.handled += handled;
  add_to.came_back += not_run + unknown;
  if (handled + not_run > sent) ++add_to.wrong;
  if (handled + not_run + unknown < sent) add_to.lost += sent - not_run - unknown - handled;
}

// Over the pairs of which this rank is the target. The accounts of all ranks together have the
// square of their number of entries, so a rank reads them one rank at a time.
sums sum_own_pairs(am::endpoint& ep, const stress::traffic& traffic) {
  constexpr std::size_t columns = 3;
  totals own;
  for (const stress::account& each : traffic.accounts())
    own.insert(own.end(), {each.sent, each.not_run, each.unknown});
  publish(ep, "books", own);
  ep.job_fence();
  sums here;
  here.wrong = traffic.wrong();
  for (am::rank_id from = 0; from < ep.ranks(); ++from) {
    const totals theirs = published(ep, from, "books");
    if (!theirs.empty())
      compare_pair(&theirs[columns * ep.rank()], traffic.accounts()[from].handled, here);
  }
  return here;
}

// Over all pairs of ranks that have come to this point.
sums sum_all_pairs(am::endpoint& ep, const stress::traffic& traffic) {
  const sums here = sum_own_pairs(ep, traffic);
  publish(ep, "sums", {here.requests, here.handled, here.came_back, here.lost, here.wrong});
  ep.job_fence();
  sums all;
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
    const totals theirs = published(ep, rank, "sums");
    if (theirs.empty()) continue;
    all.requests += theirs[0];
    all.handled += theirs[1];
    all.came_back += theirs[2];
    all.lost += theirs[3];
    all.wrong += theirs[4];
  }
  return all;
}

void print(const sums& all) {
  if (all.came_back != 0)
    std::printf("stress: %llu requests came back from ranks that are gone\n",
                static_cast<unsigned long long>(all.came_back));
  std::printf("stress: %llu requests, %llu handled, %llu lost\n",
              static_cast<unsigned long long>(all.requests),
              static_cast<unsigned long long>(all.handled),
              static_cast<unsigned long long>(all.lost));
}

// True if every request of every rank has arrived as it should.
bool run(const stress::options& requested, am::endpoint ep) {
  stress::traffic traffic(ep, requested);
  flood(requested, ep, traffic);
  wait_for_all(ep, traffic, expected_requests(ep, traffic));
  const sums all = sum_all_pairs(ep, traffic);
  if (ep.rank() == 0) print(all);
  return all.lost == 0 && all.wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  stress::options requested;
  if (const auto status = stress::read_options(argc, argv, requested)) return *status;
  try {
    return run(requested, am::join(argc, argv)) ? 0 : 1;
  } catch (const std::exception& error) {  // am::error, or std::bad_alloc
    std::fprintf(stderr, "stress: %s\n", error.what());
    return 1;
  }
}
