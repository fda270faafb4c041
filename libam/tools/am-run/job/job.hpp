// One job: its hosts and their output, from the first fork to the last byte.
#pragma once

#include <am/types.h>
#include <libam/base/settings.hpp>
#include <libam/tools/am-run/job/host_set.hpp>
#include <libam/tools/am-run/job/supervisor.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/ranks/local_host.hpp>
#include <libam/tools/am-run/remote/remote_host.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>
#include <libam/tools/am-run/streams/output.hpp>
#include <libam/tools/am-run/streams/signals.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

class job final : private job_control {
 public:
  // `plan`: for the ranks of this host, if there are some.
  job(const options& requested, launch_plan plan, const base::settings& settings);

  // Runs the job to its end. Returns am-run's exit status.
  int run();

 private:
  using clock = std::chrono::steady_clock;

  // job.cpp
  void add_local_host(const placed_host& here, launch_plan plan);
  void add_remote_hosts(host_group there);
  void start_all();
  void work_until_all_ended();
  [[nodiscard]] int next_timeout() const;
  void check_timers();
  void read_signals();
  void on_end_signal(const received_signal& note);
  void suspend_with_ranks(const received_signal& note);
  void on_output_error(int error);
  void print(const std::optional<std::string>& line) override;
  void fail(const std::optional<std::string>& line, std::optional<am_rank> spare) override;
  [[nodiscard]] bool is_ending() const override { return ending_; }
  // ending.cpp
  void end_others(int signal, std::chrono::milliseconds grace, bool from_terminal,
                  std::optional<am_rank> spare);
  void drain_output();

  const options& requested_;
  const base::settings& settings_;
  signals signals_;
  event_loop loop_;
  sink output_;
  sink errors_;
  verdict verdict_;
  host_set hosts_;
  supervisor supervisor_;
  local_host* local_ = nullptr;       // null: it has no ranks
  std::vector<remote_host*> remote_;  // in hosts_, too
  bool ending_ = false;
  bool stop_now_ = false;                        // a second signal: wait for no rank and no reader
  std::optional<clock::time_point> kill_at_;     // when the remaining ranks are killed
  std::optional<clock::time_point> give_up_at_;  // when other hosts are given up
};

}  // namespace am::detail::run
