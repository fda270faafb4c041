// Counters since the join. Nothing is counted twice for a small message: the credits give the
// requests sent, the serials of tokens the messages received; the hot path counts handlers alone.
#pragma once

#include <libam/core/progress.hpp>
#include <libam/core/stats_file.hpp>

namespace am::detail::core {

class statistics {
 public:
  statistics(const dispatcher& dispatcher, const peers& peers, const poll_clock& clock,
             const progress& poll_loop) noexcept
      : dispatcher_(dispatcher), peers_(peers), clock_(clock), progress_(poll_loop) {}

  am_status read_totals(am_stats& out) const;
  am_status read_peer(am_rank rank, am_traffic& out) const;
  am_status read_handler(const am_handler* handler, std::uint64_t& out) const;

  // AM_STATS: opened at the join, written when this rank leaves.
  am_status open_file(const std::string& name) { return file_.open(name); }
  void write() noexcept;
  void close_file() noexcept { file_ = {}; }

 private:
  [[nodiscard]] am_status check_caller(const char* call) const;
  [[nodiscard]] am_traffic traffic_with(am_rank rank) const noexcept;
  [[nodiscard]] am_stats totals() const noexcept;

  const dispatcher& dispatcher_;
  const peers& peers_;
  const poll_clock& clock_;
  const progress& progress_;
  stats_file file_;
};

}  // namespace am::detail::core
