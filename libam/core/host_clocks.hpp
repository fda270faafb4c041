// For the traces of a job on several hosts: the first traced rank of each host compares its counter
// with that of the job's first traced rank, the reference, when it joins and when it leaves. It
// records each ping, and am-trace computes from them.
#pragma once

#include <libam/core/requests.hpp>
#include <libam/trace/writer.hpp>

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

  // ---- for the handlers ----
  [[nodiscard]] am_word shown() const noexcept { return own_.ordered_now(); }
  void take(am_word number, am_word there) noexcept;

 private:
  am_status ask();

  requests& requests_;
  peers& peers_;
  progress& progress_;
  trace::writer& own_;
  am_rank reference_ = 0;
  bool compares_ = false;
  std::uint32_t measurement_ = 0;

  // The ping under way.
  am_word number_ = 0;
  bool is_answered_ = false;
  std::uint64_t asked_at_ = 0;
  std::uint64_t answered_at_ = 0;
};

}  // namespace am::detail::core
