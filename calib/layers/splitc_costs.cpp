// splitc-costs: what Split-C (am/splitc.hpp) costs beyond the calls of am.hpp that it makes; the
// same two processes do both alternately. Started by hand:
//
//   am-run -n 2 lib/am/calib/splitc-costs [SAMPLES]
//
// The requests are those of am-calibrate's rtt, flood and rr_flood. Times are those of one access.
// Low and high enclose the median of the ratios with 95 %; a ratio is of two consecutive samples.
#include <calib/layers/am_handlers.hpp>
#include <calib/program/cpu.hpp>
#include <calib/statistics.hpp>

#include <am/clock.hpp>
#include <am/splitc.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

using namespace am::splitc;
using am::word;

std::size_t samples = 201;  // of each access
constexpr std::size_t least_samples = 11;
constexpr std::size_t warm_up_samples = 10;
constexpr std::size_t spread_size = 1 << 14;

// At rank 0, the accesses; each of n.
class pair {
 public:
  pair(world& w, calib::handler_state& state, global_ptr<word> there)
      : w_(w), ep_(w.endpoint()), state_(state), there_(there), here_(1 << 13) {}

  // Requests as am-calibrate makes them.
  void round_trips(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      request();
      drain();
    }
  }
  void flood(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) ep_.request<calib::on_post>(1, i, i + 1, i + 2, i + 3);
    request();
    drain();
  }
  void answered_flood(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) request();
    drain();
  }

  void reads(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sum_ += *there_;
  }
  void writes(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) *there_ = i;
  }
  void stores(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w_.store(there_, i);
    sum_ += *there_;
  }
  // To the same places as below.
  void walking_stores(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w_.store(there_[i % (spread_size / 2)], i);
    sum_ += *there_;
  }
  // To odd elements, which are at rank 1.
  void spread_stores(const spread_array<word>& a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w_.store(a[(2 * i + 1) % spread_size], i);
    sum_ += *there_;
  }
  void gets(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w_.get(here_[i % here_.size()], there_);
    w_.sync();
  }
  void puts(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w_.put(there_, i);
    w_.sync();
  }

  void plain_bulk_gets(std::size_t n, std::size_t words) {
    static std::size_t missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ++missing;
      ep_.get<[](am::reply_token, void*, std::size_t) { --missing; }>(
          1, there_.address(), std::as_writable_bytes(std::span(here_).first(words)));
    }
    ep_.wait([] { return missing == 0; });
  }
  void bulk_gets(std::size_t n, std::size_t words) {
    for (std::size_t i = 0; i < n; ++i) w_.bulk_get(here_.data(), there_, words);
    w_.sync();
  }

  [[nodiscard]] word sum() const { return sum_; }

 private:
  void request() {
    ep_.request<calib::on_request>(1, 1, 2, 3, 4);
    ++replies_;
  }
  void drain() {
    ep_.wait([this] { return state_.replies == replies_; });
  }

  world& w_;
  am::endpoint& ep_;
  calib::handler_state& state_;
  global_ptr<word> there_;
  std::vector<word> here_;
  word replies_ = 0;
  word sum_ = 0;
};

using accesses = std::function<void(std::size_t n)>;

double time_of(const am::clock& clock, std::size_t n, const accesses& what) {
  const auto start = clock.now();
  what(n);
  return clock.ns(clock.now() - start) / static_cast<double>(n);
}

// Of n accesses a sample, against as many of `base`.
void compare(const am::clock& clock, const char* what, const char* against, std::size_t n,
             const accesses& splitc, const accesses& base, bool prints = true) {
  std::vector<double> times;
  std::vector<double> base_times;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples + warm_up_samples; ++i) {
    const double time = time_of(clock, n, splitc);
    const double base_time = time_of(clock, n, base);
    if (i < warm_up_samples) continue;
    times.push_back(time);
    base_times.push_back(base_time);
    ratios.push_back(time / base_time);
  }
  if (!prints) return;
  const calib::estimate ratio = calib::estimate_of(ratios);
  std::printf("%-22s %9.1f   %-18s %9.1f   %6.3f %6.3f %6.3f\n", what, calib::median(times),
              against, calib::median(base_times), ratio.median, ratio.interval->low,
              ratio.interval->high);
}

void compare_accesses(const am::clock& clock, pair& p, const spread_array<word>& a) {
  constexpr std::size_t few = 2000;
  constexpr std::size_t many = 20000;
  const accesses round_trips = [&](std::size_t n) { p.round_trips(n); };
  const accesses flood = [&](std::size_t n) { p.flood(n); };
  const accesses answered = [&](std::size_t n) { p.answered_flood(n); };
  compare(
      clock, "x = *g", "round trip", few, [&](std::size_t n) { p.reads(n); }, round_trips);
  compare(
      clock, "*g = x", "round trip", few, [&](std::size_t n) { p.writes(n); }, round_trips);
  compare(
      clock, "store(g, x)", "request", many, [&](std::size_t n) { p.stores(n); }, flood);
  compare(
      clock, "store(g[i], x)", "request", many, [&](std::size_t n) { p.walking_stores(n); }, flood);
  compare(
      clock, "store(a[i], x)", "request", many, [&](std::size_t n) { p.spread_stores(a, n); },
      flood);
  compare(
      clock, "get(x, g), sync()", "answered request", many, [&](std::size_t n) { p.gets(n); },
      answered);
  compare(
      clock, "put(g, x), sync()", "answered request", many, [&](std::size_t n) { p.puts(n); },
      answered);
  for (const std::size_t words : {8, 512, 8192})
    compare(
        clock, ("bulk_get of " + std::to_string(words * sizeof(word))).c_str(), "get",
        16 * few / words + 20, [&](std::size_t n) { p.bulk_gets(n, words); },
        [&](std::size_t n) { p.plain_bulk_gets(n, words); });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1) samples = std::max<std::size_t>(std::strtoul(argv[1], nullptr, 10), least_samples);
  const am::clock clock;
  world w(argc, argv);
  if (w.ranks() != 2) throw std::runtime_error("needs 2 processes: am-run -n 2");
  calib::handler_state state;
  w.endpoint().set_context(&state);
  calib::pin(static_cast<int>(w.rank()));
  const auto a = w.spread<word>(spread_size);
  pair p(w, state, a.part(1));

  // Collective: both ranks make the same number of calls.
  const accesses barriers = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w.barrier();
  };
  const accesses syncs = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w.all_store_sync();
  };
  if (w.rank() == 0) {
    std::printf("%-22s %9s   %-18s %9s   %6s %6s %6s\n", "Split-C", "ns", "am.hpp", "ns", "ratio",
                "low", "high");
    compare_accesses(clock, p, a);
    w.endpoint().request<calib::on_leave>(1);
  } else {
    w.endpoint().wait([&] { return state.leave; });
  }
  w.barrier();
  compare(clock, "all_store_sync()", "barrier", 1000, syncs, barriers, w.rank() == 0);
} catch (const std::exception& error) {
  std::fprintf(stderr, "splitc-costs: %s\n", error.what());
  return 1;
}
