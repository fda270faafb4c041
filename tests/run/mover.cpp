// Bulk data between memory outside segments: by the kernel's copy where ranks may read each other,
// in messages where they may not. Prints "moved" once, at rank 0.
#include <am/am.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t bytes = 1U << 18;
unsigned ended = 0;
void on_store(am::request_token, void*, std::size_t) { ++ended; }
void on_get(am::reply_token, void*, std::size_t) { ++ended; }

bool all_are(const std::vector<std::byte>& memory, am::rank_id value) {
  for (const std::byte each : memory)
    if (each != static_cast<std::byte>(value + 1)) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  const am::rank_id next = (ep.rank() + 1) % ep.ranks();
  const am::rank_id before = (ep.rank() + ep.ranks() - 1) % ep.ranks();
  const std::vector<std::byte> mine(bytes, static_cast<std::byte>(ep.rank() + 1));
  std::vector<std::byte> from_before(bytes);
  std::vector<std::byte> from_next(bytes);
  std::byte* const places[] = {from_before.data(), const_cast<std::byte*>(mine.data())};
  ep.job_put("places", std::as_bytes(std::span(places)));
  ep.job_fence();
  std::byte* theirs[2] = {};
  const auto blob = ep.job_get(next, "places");
  std::memcpy(theirs, blob.data(), sizeof theirs);
  ep.store<on_store>(next, theirs[0], mine);
  ep.get<on_get>(next, theirs[1], from_next);
  ep.wait([] { return ended == 2; });
  const bool good = all_are(from_before, before) && all_are(from_next, next);
  ep.job_fence();
  if (ep.rank() == 0 && good) std::puts("moved");
  return good ? 0 : 1;
}
