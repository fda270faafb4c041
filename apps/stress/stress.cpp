// Floods the ranks of a job with random requests for some seconds, then holds the books of all
// ranks against each other.
#include "options.hpp"
#include "traffic.hpp"

#include <am/am.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

using clock_type = std::chrono::steady_clock;
using totals = std::vector<std::uint64_t>;

am::rank_id choose_target(stress::pattern to, am::endpoint& ep, stress::traffic& traffic) {
  const am::rank_id partner = ep.rank() ^ 1U;
  switch (to) {
    case stress::pattern::pairs: return partner < ep.ranks() ? partner : ep.rank();
    case stress::pattern::ring: return (ep.rank() + 1) % ep.ranks();
    default: return traffic.random_rank();
  }
}

// A rank that is gone gets no more; a call that was sending to it has said so and sent nothing.
void send_to(am::rank_id to, am::endpoint& ep, stress::traffic& traffic) try {
  if (traffic.is_gone(to))
    ep.poll();
  else
    traffic.send_one(to);
} catch (const am::error& error) {
  const bool never_was_there = error.status() == AM_PEER_UNREACHABLE && ep.deaths() == 0;
  if (error.status().reason() != AM_REASON_PEER || never_was_there) throw;
}

void flood(const stress::options& wanted, am::endpoint& ep, stress::traffic& traffic) {
  constexpr int requests_between_looks = 64;
  const auto end = clock_type::now() + std::chrono::duration<double>(wanted.seconds);
  while (clock_type::now() < end)
    for (int i = 0; i < requests_between_looks; ++i)
      send_to(choose_target(wanted.to, ep, traffic), ep, traffic);
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
totals due_here(am::endpoint& ep, const stress::traffic& traffic) {
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
void settle(am::endpoint& ep, stress::traffic& traffic, const totals& due) {
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

// A request has run, or has come back; of one that came back as unknown nobody can tell whether it
// has run.
void hold_against(const std::uint64_t* sender, std::uint64_t handled, sums& add_to) {
  const std::uint64_t sent = sender[0];
  const std::uint64_t not_run = sender[1];
  const std::uint64_t unknown = sender[2];
  add_to.requests += sent;
  add_to.handled += handled;
  add_to.came_back += not_run + unknown;
  if (handled + not_run > sent) ++add_to.wrong;
  if (handled + not_run + unknown < sent) add_to.lost += sent - not_run - unknown - handled;
}

// Over all pairs of ranks that have come so far.
sums add_up(am::endpoint& ep, const stress::traffic& traffic) {
  constexpr std::size_t columns = 4;
  totals own;
  for (const stress::account& each : traffic.accounts())
    own.insert(own.end(), {each.sent, each.not_run, each.unknown, each.handled});
  own.push_back(traffic.wrong());
  publish(ep, "books", own);
  ep.job_fence();
  std::vector<totals> books;
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
    books.push_back(published(ep, rank, "books"));
  sums all;
  for (std::size_t from = 0; from < books.size(); ++from) {
    if (books[from].empty()) continue;
    all.wrong += books[from].back();
    for (std::size_t to = 0; to < books.size(); ++to)
      if (!books[to].empty())
        hold_against(&books[from][columns * to], books[to][columns * from + columns - 1], all);
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
bool run(const stress::options& wanted, am::endpoint ep) {
  stress::traffic traffic(ep, wanted.seed);
  flood(wanted, ep, traffic);
  settle(ep, traffic, due_here(ep, traffic));
  const sums all = add_up(ep, traffic);
  if (ep.rank() == 0) print(all);
  return all.lost == 0 && all.wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  stress::options wanted;
  if (const auto status = stress::read_options(argc, argv, wanted)) return *status;
  try {
    return run(wanted, am::join(argc, argv)) ? 0 : 1;
  } catch (const am::error& error) {
    std::fprintf(stderr, "stress: %s\n", error.what());
    return 1;
  }
}
