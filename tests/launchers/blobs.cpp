// The limits of the job's key-value store, under any launcher: the most that may be put before one
// fence, twice under the same key, and keys that only one rank has put.
#include <am/am.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t most = (std::size_t{16} << 20) - 4096;
unsigned wrong = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++wrong;
  std::fprintf(stderr, "not so: %s\n", what);
}
std::vector<std::byte> filled(am::rank_id rank, unsigned round) {
  return std::vector<std::byte>(most - rank, std::byte(16 * round + rank));
}

template <class Call>
std::string reason_of(Call&& call) {
  try {
    call();
  } catch (const am::error& e) {
    return std::string(e.status().text()) + ": " + e.what();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  if (argc > 1) std::this_thread::sleep_for(std::chrono::seconds(3));  // "late"
  // Most of many fences publish nothing new; a fast rank has put the next blob when a slow one
  // reads.
  for (unsigned round = 0; round < 20; ++round) {
    const std::string text = std::to_string(round);
    if (round % 5 == ep.rank() % 5) ep.job_put("small", std::as_bytes(std::span(text)));
    ep.job_fence();
    if (round % 5 == 4 && ep.rank() != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
      if (round < rank % 5) continue;
      const std::string newest = std::to_string(round - (round - rank % 5) % 5);
      const std::vector<std::byte> got = ep.job_get(rank, "small");
      expect(std::string(reinterpret_cast<const char*>(got.data()), got.size()) == newest,
             "a small blob is the newest");
    }
  }
  for (unsigned round = 0; round < 2; ++round) {
    ep.job_put("large", filled(ep.rank(), round));
    ep.job_fence();
    for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
      expect(ep.job_get(rank, "large") == filled(rank, round), "a large blob comes whole");
  }
  expect(reason_of([&] { (void)ep.job_get(0, "nothing"); }).starts_with("argument(setting)"),
         "a missing key is an error");
  // The error text of a module is reported, too.
  const std::string too_much =
      reason_of([&] { ep.job_put("large", std::vector<std::byte>(most * 2)); });
  expect(too_much.starts_with("argument(size)") && too_much.find("may be put") != too_much.npos,
         "more than there is room for is an error that says how much there is");
  ep.close();
  if (wrong == 0) std::puts("all blobs are there");
  return wrong == 0 ? 0 : 1;
}
