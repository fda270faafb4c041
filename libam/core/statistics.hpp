// Counters since the join. What a small message costs anyway is not counted a second time: requests
// follow from credits, what came from the serials of tokens; so the hot path counts handlers alone.
#pragma once

#include <libam/core/progress.hpp>
#include <libam/core/stats_file.hpp>

namespace am::detail::core {

class statistics {
 public:
  statistics(const dispatcher& messages, const peers& of, const poll_clock& clock,
             const progress& turns) noexcept
      : dispatcher_(messages), peers_(of), clock_(clock), progress_(turns) {}

  am_status all(am_stats& out) const;
  am_status with(am_rank rank, am_traffic& out) const;
  am_status of(const am_handler* handler, std::uint64_t& out) const;

  // AM_STATS: known before the work, written when this rank leaves.
  am_status open_file(const std::string& name) { return file_.open(name); }
  void write() noexcept;
  void close_file() noexcept { file_ = {}; }

 private:
  [[nodiscard]] am_status may_ask(const char* call) const;
  [[nodiscard]] am_traffic traffic_with(am_rank rank) const noexcept;
  [[nodiscard]] am_stats totals() const noexcept;

  const dispatcher& dispatcher_;
  const peers& peers_;
  const poll_clock& clock_;
  const progress& progress_;
  stats_file file_;
};

}  // namespace am::detail::core
