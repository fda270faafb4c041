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
  // `path`: of PROG.
  job(const options& requested, const std::string& path, const binding& bindings,
      const base::settings& settings);

  // Runs the job to its end. Returns am-run's exit status.
  int run();

 private:
  using clock = std::chrono::steady_clock;

  // job.cpp
  bool start_all();
  void work_until_all_ended();
  [[nodiscard]] int next_timeout() const;
  void check_timers();
  void read_signals();
  void on_end_signal(const received_signal& note);
  void suspend_with_ranks(const received_signal& note);
  void reap();
  void on_rank_end(am_rank rank, int wait_status);
  void check_stranded(am_rank gone);
  void on_death(const death& of);
  void start_explain_timer(am_rank rank);
  void on_output_error(int error);
  void print(const std::optional<std::string>& line);
  // Also ends the job; `spare` gets no signal.
  void fail(const std::optional<std::string>& line, std::optional<am_rank> spare = {});
  // ending.cpp
  void end_others(int signal, std::chrono::milliseconds grace, std::optional<am_rank> spare = {});
  void kill_orphans();
  void drain_output();

  void on_joined(am_rank rank) override;
  void on_lost(am_rank rank) override;
  void on_aborted(am_rank rank, int exit_status, std::string line) override;
  void on_failed(int exit_status, std::string line) override;
  void on_stalled(std::string line) override;

  const options& requested_;
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
  bool stop_now_ = false;                     // a second signal: wait for no rank and no reader
  std::optional<clock::time_point> kill_at_;  // when the remaining ranks are killed
};

}  // namespace am::detail::run
