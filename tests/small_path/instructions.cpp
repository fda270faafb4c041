// How many instructions the small path takes over shm, in calls of the face as a program makes
// them: a request in a flood, its delivery, and the same with an answer; one that a handler asks
// for; and a lone round trip.
// None may be more than its limit. Both ranks are endpoints of this thread over one mapping, so
// that nothing depends on time.
//
// usage: test-instructions [COUNT=LIMIT...]    (without: it prints what there is)
#include "../support/thread_job.hpp"
#include "../support/watchdog.hpp"
#include "steps.hpp"

#include <libam/base/cache_line.hpp>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace {

unsigned long handled = 0;
unsigned long answered = 0;

void silent(am::request_token, am::word, am::word, am::word, am::word) { ++handled; }
void summed(am::reply_token, am::word) { ++answered; }
void asked(am::request_token t, am::word a, am::word b) {
  ++handled;
  t.reply<summed>(a + b);
}

// So many that what comes once a burst or once a quarter of the window counts for little.
constexpr unsigned many = 512;

struct counts {
  unsigned long sending = 0;
  unsigned long handling = 0;
  unsigned long ending = 0;  // replies taken, or credits booked
};

// Counting is slow: what only warms up is not counted.
bool counting = false;

template <class Work>
unsigned long steps_of(Work&& work) {
  if (counting) am_test::begin_steps();
  work();
  return counting ? am_test::end_steps() : 0;
}

// Requests that a handler asks for: as many as take no memory anew.
constexpr unsigned few = 32;
unsigned long asked_later = 0;  // instructions of one

void asks_later(am::request_token t) {
  asked_later = steps_of([&] {
                  for (am::word i = 0; i < few; ++i) (void)t.later<silent>(t.source(), i, i, i, i);
                }) /
                few;
}

void poll_until(am::endpoint& ep, const unsigned long& count, unsigned long goal) {
  while (count != goal) ep.poll();
}

counts flood(am::endpoint& from, am::endpoint& to) {
  counts all;
  handled = 0;
  all.sending = steps_of([&] {
    for (am::word i = 0; i < many; ++i) from.request<silent>(1, i, i, i, i);
  });
  all.handling = steps_of([&] { poll_until(to, handled, many); });
  while (to.poll() != 0) {
  }
  all.ending = steps_of([&] { from.poll(); });
  return all;
}

counts answered_requests(am::endpoint& from, am::endpoint& to, unsigned count) {
  counts all;
  handled = answered = 0;
  all.sending = steps_of([&] {
    for (am::word i = 0; i < count; ++i) from.request<asked>(1, i, i);
  });
  all.handling = steps_of([&] { poll_until(to, handled, count); });
  all.ending = steps_of([&] { poll_until(from, answered, count); });
  return all;
}

// Rings grow when a window is used up.
void grow_rings(am::endpoint& from, am::endpoint& to) {
  for (unsigned round = 0; round < 16; ++round) {
    while (from.try_request<silent>(1, 0, 0, 0, 0)) {
    }
    while (to.poll() != 0) {
    }
    while (from.poll() != 0) {
    }
  }
}

using table = std::map<std::string, unsigned long, std::less<>>;

// What comes after `rounds` of the same.
template <class Round>
counts after(unsigned rounds, Round&& round) {
  counting = false;
  for (unsigned i = 0; i < rounds; ++i) round();
  counting = true;
  const counts all = round();
  counting = false;
  return all;
}

table measure(am::endpoint& from, am::endpoint& to) {
  grow_rings(from, to);
  table all;
  const counts flooded = after(4, [&] { return flood(from, to); });
  all["flood.request"] = flooded.sending / many;
  all["flood.delivery"] = flooded.handling / many;
  const counts answers = after(4, [&] { return answered_requests(from, to, many); });
  all["answered.request"] = answers.sending / many;
  all["answered.delivery"] = answers.handling / many;
  all["answered.reply"] = answers.ending / many;
  after(4, [&] {
    handled = 0;
    from.request<asks_later>(1);
    while (handled != few) {
      to.poll();
      from.poll();
    }
    return counts();
  });
  all["later"] = asked_later;
  const counts lone = after(40, [&] { return answered_requests(from, to, 1); });
  all["lone.request"] = lone.sending;
  all["lone.delivery"] = lone.handling;
  all["lone.reply"] = lone.ending;
  return all;
}

// Where lines that are shared are not dear to write, each is fetched ahead, a lone message's too.
const unsigned long by_processor = am::detail::base::shared_lines_are_dear ? 0 : 3;

int check(const table& all, int argc, char** argv) {
  int faults = 0;
  for (const auto& [name, count] : all) std::printf("%s %lu\n", name.c_str(), count);
  for (int i = 1; i < argc; ++i) {
    const std::string_view limit = argv[i];
    const std::size_t sign = limit.find('=');
    const auto found = all.find(limit.substr(0, sign));
    if (sign == limit.npos || found == all.end()) {
      std::fprintf(stderr, "%s: no such count\n", argv[i]);
      ++faults;
    } else if (found->second > std::strtoul(argv[i] + sign + 1, nullptr, 10) + by_processor) {
      std::fprintf(stderr, "%s: %lu instructions\n", argv[i], found->second);
      ++faults;
    }
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "counting instructions");
  am::detail::base::settings settings;
  settings.transport = "self,shm";
  int result = 0;
  am::endpoint* ends[2] = {};
  std::barrier both(2);
  am_test::thread_job(2, settings).run([&](am_rank rank, const auto& join) {
    am::endpoint ep = join();
    ends[rank] = &ep;
    both.arrive_and_wait();
    if (rank == 0) {
      ends[1]->adopt();
      result = check(measure(ep, *ends[1]), argc, argv);
    }
    both.arrive_and_wait();
    if (rank == 1) ep.adopt();
    ep.close();
  });
  return result;
}
