// For the traces of a job on several hosts: the first traced rank of each host compares its counter
// with that of the job's first traced rank, the reference, when it joins, when it leaves, and now
// and then while it waits. It records each ping, and am-trace computes from them.
#pragma once

#include <libam/core/requests.hpp>
#include <libam/trace/writer.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::core {

// Of ranks with a trace. Then all ranks of the job serve those that compare.
[[nodiscard]] bool are_on_several_hosts(const std::vector<bool>& traced, const peers& of) noexcept;

// The transports of a rank keep it, beside its trace.
class host_clocks {
 public:
  // `traced` is by rank. `own` is this rank's trace, which outlives this object.
  host_clocks(requests& requests, peers& peers, progress& poll_loop,
              const std::vector<bool>& traced, trace::writer& own) noexcept;
  // One measurement, if it is this rank's part. A reference that cannot be reached, or dies, ends
  // it, which is no failure.
  void compare();
  // In an idle moment of a wait: one ping of a measurement, if one is due. The answers come by the
  // wait's own polls.
  void refresh() noexcept;

  // A ping to that rank is under way, for which no call of the program waits.
  [[nodiscard]] bool asks(am_rank rank) const noexcept {
    return !is_answered_ && rank == reference_;
  }

  // ---- for the handlers ----
  [[nodiscard]] am_word shown() const noexcept { return own_.ordered_now(); }
  void take(am_word number, am_word there) noexcept;

 private:
  using clock = std::chrono::steady_clock;
  am_status try_ask() noexcept;
  am_status ask();
  void end_measurement() noexcept;

  requests& requests_;
  peers& peers_;
  progress& progress_;
  trace::writer& own_;
  am_rank reference_ = 0;
  bool compares_ = false;
  std::uint32_t measurement_ = 1;
  unsigned pings_due_ = 0;  // answers that are missing to a measurement in a wait
  std::chrono::seconds period_{1};
  clock::time_point next_measurement_ = clock::time_point::max();

  // The last ping.
  am_word number_ = 0;
  clock::time_point begun_;
  bool is_answered_ = true;
  std::uint64_t asked_at_ = 0;
  std::uint64_t answered_at_ = 0;
};

}  // namespace am::detail::core
