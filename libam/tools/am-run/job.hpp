// One job: its processes, its server, its output, from the first fork to the last byte.
#pragma once

#include <am/types.h>
#include <libam/base/settings.hpp>
#include <libam/tools/am-run/event_loop.hpp>
#include <libam/tools/am-run/launch.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/output.hpp>
#include <libam/tools/am-run/processes.hpp>
#include <libam/tools/am-run/server.hpp>
#include <libam/tools/am-run/signals.hpp>
#include <libam/tools/am-run/verdict.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace am::detail::run {

class job final : private server_listener {
 public:
  // `path`: where PROG was found.
  job(const options& wanted, const std::string& path, const binding& places,
      const base::settings& settings);

  // Runs it to its end: am-run's exit status.
  int run();

 private:
  using clock = std::chrono::steady_clock;

  // job.cpp
  bool start_all();
  void work_until_all_ended();
  [[nodiscard]] int next_timeout() const;
  void timers();
  void read_signals();
  void asked_to_end(const signal_note& note);
  void stop_together(const signal_note& note);
  void reap();
  void rank_ended(am_rank rank, int wait_status);
  void check_stranded(am_rank gone);
  void died(const death& of);
  void watch_lost(am_rank rank);
  void lost_output(int error);
  void tell(const std::optional<std::string>& line);
  // Also ends the job; `spare` is not told to end.
  void fail(const std::optional<std::string>& line, std::optional<am_rank> spare = {});
  // ending.cpp
  void end_others(int signal, std::chrono::milliseconds grace, std::optional<am_rank> spare = {});
  void kill_orphans();
  void drain_output();

  void joined(am_rank rank) override;
  void lost(am_rank rank) override;
  void aborted(am_rank rank, int exit_status, std::string line) override;
  void failed(int exit_status, std::string line) override;
  void stalled(std::string line) override;

  const options& wanted_;
  const std::string path_;
  const bool outlives_deaths_;
  signals signals_;
  event_loop loop_;
  sink output_;
  sink errors_;
  server server_;
  launcher launcher_;
  verdict verdict_;
  processes processes_;
  bool ending_ = false;
  bool by_force_ = false;                     // asked twice: nobody is waited for, readers neither
  std::optional<clock::time_point> kill_at_;  // those who are left then are killed
};

}  // namespace am::detail::run
