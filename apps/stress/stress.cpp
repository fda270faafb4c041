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

void flood(const stress::options& wanted, am::endpoint& ep, stress::traffic& traffic) {
  constexpr int requests_between_looks = 64;
  const auto end = clock_type::now() + std::chrono::duration<double>(wanted.seconds);
  while (clock_type::now() < end)
    for (int i = 0; i < requests_between_looks; ++i)
      traffic.send_one(choose_target(wanted.to, ep, traffic));
}

void publish(am::endpoint& ep, const char* key, const totals& numbers) {
  ep.job_put(key, std::as_bytes(std::span(numbers)));
}

totals published(am::endpoint& ep, am::rank_id rank, const char* key) {
  const std::vector<std::byte> blob = ep.job_get(rank, key);
  totals numbers(blob.size() / sizeof(std::uint64_t));
  std::memcpy(numbers.data(), blob.data(), blob.size());
  return numbers;
}

// How many requests the others have sent to this rank.
totals due_here(am::endpoint& ep, const stress::traffic& traffic) {
  totals sent;
  for (const stress::account& each : traffic.accounts()) sent.push_back(each.sent);
  publish(ep, "sent", sent);
  ep.job_fence();
  totals due;
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
    due.push_back(published(ep, rank, "sent")[ep.rank()]);
  return due;
}

// Serves the others until all that was sent has come, or long enough for it to be lost.
void settle(am::endpoint& ep, stress::traffic& traffic, const totals& due) {
  constexpr auto long_enough = std::chrono::seconds(30);
  const auto complete = [&] {
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
      if (traffic.accounts()[rank].handled < due[rank]) return false;
    return traffic.all_answered();
  };
  if (!ep.wait_for(complete, long_enough)) {
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
      const stress::account& with = traffic.accounts()[rank];
      if (with.handled < due[rank]) traffic.complain(rank, "requests", with.handled, due[rank]);
      if (with.answered < with.asked) traffic.complain(rank, "replies", with.answered, with.asked);
    }
  }
}

// requests, handled, wrong, over all ranks
totals add_up(am::endpoint& ep, const stress::traffic& traffic) {
  totals own(3);
  for (const stress::account& each : traffic.accounts()) {
    own[0] += each.sent;
    own[1] += each.handled;
  }
  own[2] = traffic.wrong();
  publish(ep, "books", own);
  ep.job_fence();
  totals sum(3);
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
    const totals of_rank = published(ep, rank, "books");
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += of_rank[i];
  }
  return sum;
}

// True if every request of every rank has arrived as it should.
bool run(const stress::options& wanted, am::endpoint ep) {
  stress::traffic traffic(ep, wanted.seed);
  flood(wanted, ep, traffic);
  settle(ep, traffic, due_here(ep, traffic));
  const totals sum = add_up(ep, traffic);

  const std::uint64_t lost = sum[0] - sum[1];
  if (ep.rank() == 0)
    std::printf("stress: %llu requests, %llu handled, %llu lost\n",
                static_cast<unsigned long long>(sum[0]), static_cast<unsigned long long>(sum[1]),
                static_cast<unsigned long long>(lost));
  return lost == 0 && sum[2] == 0;
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
