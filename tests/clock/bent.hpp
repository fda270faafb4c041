// A clock that is set wrong and runs wrong by known amounts, so that the true global time of every
// moment is known; and the messages that hold a global clock over such clocks against it.
#pragma once

#include "../support/suite.hpp"

#include <am/team.hpp>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace clock_test {

using am::rank_id;

// By how much a rank's clock differs from the machine's counter, whose ticks it counts.
struct bend {
  double offset_ns = 0;  // at the start
  double drift = 0;
  unsigned ticks = 1;  // for each of the machine's
};

// What all ranks of a job share: the machine's counter, from one start and at one rate.
struct machine {
  std::uint64_t start;
  double ns_per_tick;

  static machine of(am::team& team, const am::clock& local) {
    return team.broadcast(0, machine{local.now(), local.ns(1)});
  }
};

class bent_clock {
 public:
  bent_clock(const am::clock& local, const machine& truth, const bend& by, std::uint64_t counter)
      : local_(&local), truth_(truth), by_(&by), counter_(counter) {}

  [[nodiscard]] std::uint64_t now() const noexcept { return shown_at(raw()); }
  [[nodiscard]] double ns(std::uint64_t ticks) const noexcept {
    return static_cast<double>(ticks) * truth_.ns_per_tick / by_->ticks;
  }
  [[nodiscard]] double cost_ns() const noexcept { return local_->cost_ns(); }
  [[nodiscard]] double resolution_ns() const noexcept { return local_->resolution_ns(); }

  [[nodiscard]] std::uint64_t raw() const noexcept { return local_->now(); }
  // What it shows, and a clock bent otherwise would, where the machine's counter shows `raw`.
  [[nodiscard]] std::uint64_t shown_at(std::uint64_t raw) const noexcept {
    return shown_at(raw, *by_);
  }
  [[nodiscard]] std::uint64_t shown_at(std::uint64_t raw, const bend& by) const noexcept {
    const auto since = static_cast<std::int64_t>(raw - truth_.start);
    const double more = static_cast<double>(since) * by.drift + by.offset_ns / truth_.ns_per_tick;
    return by.ticks * (raw + static_cast<std::uint64_t>(std::llround(more)));
  }
  // As its users know it; 0 is no counter.
  friend std::uint64_t counter_id(const bent_clock& of) noexcept { return of.counter_; }

 private:
  const am::clock* local_;
  machine truth_;
  const bend* by_;
  std::uint64_t counter_;
};

using bent_global_clock = am::basic_global_clock<bent_clock>;

class bent_job;
// To which messages come that this rank gets.
inline thread_local bent_job* job_of_rank = nullptr;

// A rank's part in a job of bent clocks.
class bent_job {
 public:
  // `bends` and `counters` have an entry for each rank of the team.
  bent_job(am::team& team, std::vector<bend> bends, std::vector<std::uint64_t> counters = {})
      : team_(team),
        bends_(std::move(bends)),
        truth_(machine::of(team, local_)),
        source_(local_, truth_, bends_[team.rank()], counters.empty() ? 0 : counters[team.rank()]),
        clock_(team.global_clock(source_)) {
    find_zero();
    job_of_rank = this;
    team.barrier();
  }
  // The others may still ping this rank's source.
  ~bent_job() { team_.barrier(); }
  bent_job(const bent_job&) = delete;
  bent_job& operator=(const bent_job&) = delete;

  [[nodiscard]] const bent_global_clock& clock() const noexcept { return clock_; }
  [[nodiscard]] const bent_clock& source() const noexcept { return source_; }
  void refresh() { team_.refresh(clock_); }
  // At every rank: all know what the clock of `rank` shows.
  void step(rank_id rank, double by_ns) { bends_[rank].offset_ns += by_ns; }

  // The global time where the machine's counter shows `raw`: what rank 0's clock shows, by
  // definition.
  [[nodiscard]] double true_time(std::uint64_t raw) const noexcept {
    const std::uint64_t shown = source_.shown_at(raw, bends_[0]);
    return static_cast<double>(static_cast<std::int64_t>(shown - zero_)) * truth_.ns_per_tick;
  }
  [[nodiscard]] double true_drift() const noexcept {
    return (bends_[team_.rank()].drift - bends_[0].drift) / (1 + bends_[team_.rank()].drift);
  }

 private:
  // Rank 0's clock is the global one: there is no error in what it says.
  void find_zero() {
    const std::uint64_t shown = source_.now();
    const double ticks = clock_.at(shown) / truth_.ns_per_tick;
    zero_ = team_.broadcast(0, shown - static_cast<std::uint64_t>(std::llround(ticks)));
  }

  am::team& team_;
  am::clock local_;
  std::vector<bend> bends_;
  machine truth_;
  bent_clock source_;
  bent_global_clock clock_;
  std::uint64_t zero_ = 0;
};

// A message: where the counter was when it left, and what the sender's clock said then.
struct stamp {
  std::uint64_t raw;
  double said;
  double bound;
};

inline thread_local std::uint64_t stamps_seen = 0;
inline thread_local std::uint64_t stamps_expected = 0;

inline stamp stamp_of(const bent_job& job) {
  const std::uint64_t raw = job.source().raw();
  const std::uint64_t shown = job.source().shown_at(raw);
  return {raw, job.clock().at(shown), job.clock().bound_ns(shown)};
}
inline bool is_within_bound(const bent_job& job, const stamp& s) {
  return std::abs(s.said - job.true_time(s.raw)) <= s.bound;
}
// Checks what both ends say, and that no message comes before it has left.
inline void check_stamp(am::request_token, stamp sent) {
  const stamp here = stamp_of(*job_of_rank);
  EXPECT(is_within_bound(*job_of_rank, sent));
  EXPECT(is_within_bound(*job_of_rank, here));
  EXPECT(here.said + here.bound >= sent.said - sent.bound);
  ++stamps_seen;
}

// For each rank, of a hundred thousand in a job, or, in a long test, a million.
inline std::uint32_t messages_of(am_test::session& job, am::team& team) {
  const bool is_long = team.broadcast(0, std::getenv("LIBAM_TEST_LONG") != nullptr);
  return job.per_rank((is_long ? 1'000'000 : 100'000) / job.ranks());
}

// Each rank sends to the next one, and has as many checked here.
inline void send_stamps(am_test::session& job, const bent_job& bent, std::uint32_t count) {
  stamps_expected += count;
  for (std::uint32_t i = 0; i < count; ++i)
    job.ep().request<check_stamp>(job.next(), stamp_of(bent));
  job.ep().wait([&] { return stamps_seen == stamps_expected; });
  job.ep().job_fence();  // then the next clock may come
}

}  // namespace clock_test
