// Each rank prints how large a team may be for a flat broadcast of 8 bytes and of 16 KiB, and for a
// direct barrier; broadcasts from every root reach every rank, and they and barriers take the
// messages that this promises.
//
//   test-profile-agreed [polls]
//      polls   each rank prints how often it polls in waits for nothing, nothing else
#include <am/team.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

bool came = false;
void come(am::request_token) { came = true; }

// A rank spins anew after each message.
void wait_for_nothing(am::endpoint& ep) {
  const auto before = ep.stats().polls;
  for (int i = 0; i < 100; ++i) {
    came = false;
    ep.request<come>(ep.rank());
    ep.wait([] { return came; });
    (void)ep.wait_for([] { return false; }, std::chrono::milliseconds(1));
  }
  std::printf("%llu\n", static_cast<unsigned long long>(ep.stats().polls - before));
}

void run(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  if (argc > 1 && std::string(argv[1]) == "polls") return wait_for_nothing(ep);
  am::team all(ep);
  int wrong = 0;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{16384}, std::size_t{40000}}) {
    const bool flat = all.ranks() <= am_ep_flat_broadcast_ranks(ep.raw(), bytes);
    for (am::rank_id root = 0; root < all.ranks(); ++root) {
      std::vector<unsigned char> data(
          bytes, static_cast<unsigned char>(all.rank() == root ? 100 + root : 0));
      const auto sent = all.counts().sent;
      all.broadcast(root, data);
      const auto mine = all.counts().sent - sent;
      const am::rank_id expected = all.rank() == root ? all.ranks() - 1 : 0;
      if (flat && mine != expected) ++wrong;
      for (const unsigned char each : data) wrong += each != 100 + root;
    }
  }
  const bool direct = all.ranks() <= am_ep_direct_barrier_ranks(ep.raw());
  const auto sent = all.counts().sent;
  for (int i = 0; i < 100; ++i) all.barrier();
  const am::rank_id each = direct ? all.ranks() - 1 : am::detail::team_rounds(all.ranks());
  if (all.counts().sent - sent != 100 * each) ++wrong;
  std::printf("%u %u %u wrong %d\n", am_ep_flat_broadcast_ranks(ep.raw(), 8),
              am_ep_flat_broadcast_ranks(ep.raw(), 16384), am_ep_direct_barrier_ranks(ep.raw()),
              wrong);
}

}  // namespace

int main(int argc, char** argv) { run(argc, argv); }
