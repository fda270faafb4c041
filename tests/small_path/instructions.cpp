// The number of instructions of the small path over shm, counted in API calls: a request in a
// flood, its delivery, and the same with an answer; a request for later; and a lone round trip.
// None may exceed its limit. Both ranks are endpoints of this thread over one mapping, so that
// nothing depends on time.
//
// usage: test-instructions [COUNT=LIMIT...]    (without: it prints what there is)
#include "../support/thread_job.hpp"
#include "../support/watchdog.hpp"
#include "steps.hpp"

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace {

unsigned long handled = 0;
unsigned long replied = 0;

void on_silent(am::request_token, am::word, am::word, am::word, am::word) { ++handled; }
void on_reply(am::reply_token, am::word) { ++replied; }
void on_request(am::request_token t, am::word a, am::word b) {
  ++handled;
  t.reply<on_reply>(a + b);
}

// Enough that work done once a burst or once a quarter of the window does not matter.
constexpr unsigned many = 512;

struct counts {
  unsigned long sending = 0;
  unsigned long handling = 0;
  unsigned long ending = 0;  // replies handled, or credits booked
};

// Counting is slow, so warming up is not counted.
bool counting = false;

template <class Work>
unsigned long steps_of(Work&& work) {
  if (counting) am_test::begin_steps();
  work();
  return counting ? am_test::end_steps() : 0;
}

// Requests that a handler asks for: as many as take no memory anew.
constexpr unsigned few = 32;
unsigned long later_cost = 0;  // instructions of one

void on_request_later(am::request_token t) {
  later_cost = steps_of([&] {
                 for (am::word i = 0; i < few; ++i)
                   (void)t.later<on_silent>(t.source(), i, i, i, i);
               }) /
               few;
}

void poll_until(am::endpoint& ep, const unsigned long& count, unsigned long goal) {
  while (count != goal) ep.poll();
}

counts measure_flood(am::endpoint& from, am::endpoint& to) {
  counts all;
  handled = 0;
  all.sending = steps_of([&] {
    for (am::word i = 0; i < many; ++i) from.request<on_silent>(1, i, i, i, i);
  });
  all.handling = steps_of([&] { poll_until(to, handled, many); });
  while (to.poll() != 0) {
  }
  all.ending = steps_of([&] { from.poll(); });
  return all;
}

counts measure_replies(am::endpoint& from, am::endpoint& to, unsigned count) {
  counts all;
  handled = replied = 0;
  all.sending = steps_of([&] {
    for (am::word i = 0; i < count; ++i) from.request<on_request>(1, i, i);
  });
  all.handling = steps_of([&] { poll_until(to, handled, count); });
  all.ending = steps_of([&] { poll_until(from, replied, count); });
  return all;
}

// Rings grow when a window is used up.
void grow_rings(am::endpoint& from, am::endpoint& to) {
  for (unsigned round = 0; round < 16; ++round) {
    while (from.try_request<on_silent>(1, 0, 0, 0, 0)) {
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
  const counts flooded = after(4, [&] { return measure_flood(from, to); });
  all["flood.request"] = flooded.sending / many;
  all["flood.delivery"] = flooded.handling / many;
  const counts answers = after(4, [&] { return measure_replies(from, to, many); });
  all["answered.request"] = answers.sending / many;
  all["answered.delivery"] = answers.handling / many;
  all["answered.reply"] = answers.ending / many;
  after(4, [&] {
    handled = 0;
    from.request<on_request_later>(1);
    while (handled != few) {
      to.poll();
      from.poll();
    }
    return counts();
  });
  all["later"] = later_cost;
  const counts lone = after(40, [&] { return measure_replies(from, to, 1); });
  all["lone.request"] = lone.sending;
  all["lone.delivery"] = lone.handling;
  all["lone.reply"] = lone.ending;
  return all;
}

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
    } else if (found->second > std::strtoul(argv[i] + sign + 1, nullptr, 10)) {
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
