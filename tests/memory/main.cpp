// A job with little shared memory: segments that do not fit are refused at once, and granted ones
// are usable; messages between all ranks flow, however much the segments use.
//   am-run -n N test-memory some|none     how much room there is for segments
#include "../support/watchdog.hpp"

#include <am/am.hpp>

#include <cstdio>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t limit = std::size_t{64} << 20;

bool failed = false;
void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not so: %s\n", what);
  failed = true;
}

unsigned answers = 0;
void on_reply(am::reply_token) { ++answers; }
void on_small(am::request_token t, am::word) { t.reply<on_reply>(); }
void on_medium(am::request_token t, am::bytes_in, am::word) { t.reply<on_reply>(); }

// Enough messages to let every ring grow to its limit.
void exchange_with_all(am::endpoint& ep) {
  constexpr unsigned each = 6000;
  const std::vector<std::byte> payload(ep.max_medium());
  const unsigned before = answers;
  for (am::rank_id to = 0; to < ep.ranks(); ++to) ep.request<on_medium>(to, payload, 1);
  for (unsigned i = 0; i < each; ++i) ep.request<on_small>((ep.rank() + i) % ep.ranks(), i);
  ep.wait([&] { return answers == before + ep.ranks() + each; });
  ep.job_fence();
}

// The status of making a segment; if ok, it is usable to its last byte.
am::status try_segment(am::endpoint& ep, std::size_t bytes, std::deque<am::segment>& all) {
  try {
    all.emplace_back(ep, bytes);
  } catch (const am::error& refused) {
    return refused.status();
  }
  std::memset(all.back().address(), 1, bytes);
  return {};
}

// Makes segments until none fits; returns their total size.
std::size_t fill_with_segments(am::endpoint& ep, std::deque<am::segment>& all) {
  const std::size_t piece = std::size_t{1} << 20;
  std::size_t bytes = 0;
  while (bytes < 2 * limit) {
    const am::status status = try_segment(ep, piece, all);
    if (!status.ok()) {
      expect(status == am::status(AM_RESOURCE_SPACE), "a segment too much is resource(space)");
      break;
    }
    bytes += piece;
  }
  return bytes;
}

void use_segments(am::endpoint& ep, bool some) {
  std::deque<am::segment> all;
  const am::status large = try_segment(ep, 2 * limit, all);
  expect(large == am::status(AM_RESOURCE_SPACE), "a segment of 128 MiB is resource(space)");
  const std::size_t first = fill_with_segments(ep, all);
  expect(some ? first > limit / 4 && first < limit : first == 0, "segments take what there is");
  ep.job_fence();
  // First contact, with no memory left.
  exchange_with_all(ep);
  all.clear();
  expect((fill_with_segments(ep, all) != 0) == some, "what was given back is there again");
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "a job in little memory");
  const bool some = argc > 1 && std::string_view(argv[1]) == "some";
  am::endpoint ep = am::join(argc, argv);
  if (ep.rank() == 0)
    use_segments(ep, some);
  else {
    ep.job_fence();
    exchange_with_all(ep);
  }
  exchange_with_all(ep);
  ep.close();
  return failed ? 1 : 0;
}
