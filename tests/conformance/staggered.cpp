// all_gather and all_to_all: no rank is the target of several at once. The requests of this program
// are counted on their way into libam (ld --wrap): the k-th ones of all ranks go to different
// ranks.
//   am-run -n N test-staggered
#include "../support/watchdog.hpp"

#include <am/team.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

bool counting = false;
std::vector<am::rank_id> sent_to;

void count(am_rank to) {
  if (counting) sent_to.push_back(to);
}

}  // namespace

extern "C" {

am_status __real_am_ep_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                               am_word w1, am_word w2, am_word w3);
am_status __real_am_ep_request_medium(am_ep* ep, am_rank to, const am_handler* handler,
                                      const void* data, size_t bytes, am_word w0, am_word w1,
                                      am_word w2, am_word w3);
am_status __wrap_am_ep_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                               am_word w1, am_word w2, am_word w3) {
  count(to);
  return __real_am_ep_request(ep, to, handler, w0, w1, w2, w3);
}
am_status __wrap_am_ep_request_medium(am_ep* ep, am_rank to, const am_handler* handler,
                                      const void* data, size_t bytes, am_word w0, am_word w1,
                                      am_word w2, am_word w3) {
  count(to);
  return __real_am_ep_request_medium(ep, to, handler, data, bytes, w0, w1, w2, w3);
}

}  // extern "C"

namespace {

// The number of steps in which some rank is the target of several. `pieces`: rounds of n - 1.
template <class Call>
std::size_t crowded_steps(am::endpoint& ep, am::team& all, std::size_t pieces, Call&& call) {
  all.barrier();
  sent_to.clear();
  counting = true;
  call();
  counting = false;
  const std::size_t steps = pieces * (ep.ranks() - 1);
  if (sent_to.size() != steps) return ~std::size_t{0};
  ep.job_put("sent", std::as_bytes(std::span(sent_to)));
  ep.job_fence();
  std::vector<std::vector<am::rank_id>> targets(steps);
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
    std::vector<am::rank_id> its(steps);
    if (steps != 0) std::memcpy(its.data(), ep.job_get(rank, "sent").data(), steps * sizeof its[0]);
    for (std::size_t step = 0; step < steps; ++step) targets[step].push_back(its[step]);
  }
  return static_cast<std::size_t>(std::ranges::count_if(targets, [](std::vector<am::rank_id>& to) {
    std::ranges::sort(to);
    return std::ranges::adjacent_find(to) != to.end();
  }));
}

bool failed = false;
void expect_none(std::size_t crowded, const char* what) {
  if (crowded == 0) return;
  std::fprintf(stderr, "%s: %zu steps with a rank that more than one sends to\n", what, crowded);
  failed = true;
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "staggered collectives");
  am::endpoint ep = am::join(argc, argv);
  am::team all(ep);
  const std::size_t n = ep.ranks();
  const std::size_t large = 2 * ep.max_medium() + 1;  // three pieces
  const std::vector<int> few(n);
  std::vector<int> got(n);
  const std::vector<std::byte> mine(large);
  const std::vector<std::byte> many(n * large);
  std::vector<std::byte> all_of_them(n * large);

  expect_none(crowded_steps(ep, all, 1, [&] { (void)all.all_gather(1); }), "all_gather, words");
  expect_none(crowded_steps(ep, all, 3, [&] { all.all_gather(mine, all_of_them); }),
              "all_gather, pieces");
  expect_none(crowded_steps(ep, all, 1, [&] { all.all_to_all(few, got); }), "all_to_all, words");
  expect_none(crowded_steps(ep, all, 3, [&] { all.all_to_all(many, all_of_them); }),
              "all_to_all, pieces");
  ep.close();
  return failed ? 1 : 0;
}
