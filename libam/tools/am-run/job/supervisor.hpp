// Watches all ranks of a job, on whatever hosts they are, and decides what follows when one ends:
// nothing, the end of the job, or a death that the others outlive.
#pragma once

#include <am/types.h>
#include <libam/tools/am-run/job/epochs.hpp>
#include <libam/tools/am-run/job/host_set.hpp>
#include <libam/tools/am-run/job/verdict.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

// What the supervisor needs of the job.
class job_control {
 public:
  virtual void print(const std::optional<std::string>& line) = 0;
  // Prints the line and ends the job; `spare` gets no signal.
  virtual void fail(const std::optional<std::string>& line, std::optional<am_rank> spare) = 0;
  [[nodiscard]] virtual bool is_ending() const = 0;

 protected:
  ~job_control() = default;
};

class supervisor final : public host_events {
 public:
  using clock = std::chrono::steady_clock;

  supervisor(job_control& job, host_set& hosts, verdict& records, am_rank ranks,
             bool outlives_deaths, std::chrono::seconds stall_timeout);

  // Has every rank been started, and is its end known?
  [[nodiscard]] bool all_ended() const;

  // When check_timers has something to do.
  [[nodiscard]] std::optional<clock::time_point> next_deadline() const;
  void check_timers(clock::time_point now);

  void on_started(am_rank rank, pid_t pid) override;
  void on_ended(am_rank rank, int wait_status) override;
  void on_explained(am_rank rank, bool is_gone) override;
  void on_message(std::string line) override { job_.print(std::move(line)); }
  void on_host_lost(const rank_set& ranks, std::string how) override;

  void on_secret_wanted(unsigned epoch) override { epochs_.draw_secret(epoch); }
  void on_joined(am_rank rank, unsigned epoch, pid_t pid) override;
  void on_contributed(am_rank rank, unsigned epoch, std::string blobs) override {
    epochs_.contribute(rank, epoch, std::move(blobs));
  }
  void on_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) override {
    epochs_.note_watching(rank, epoch, exit_report);
  }
  void on_left(am_rank rank, unsigned epoch) override { epochs_.note_left(rank, epoch); }
  void on_lost(am_rank rank) override;
  void on_aborted(am_rank rank, int exit_status, std::string line) override;
  void on_failed(int exit_status, std::string line) override;

 private:
  struct member {
    pid_t pid = -1;
    bool alive = false;
    bool death_reported = false;
    // Its connection ended without a leave; until then the end of the process may explain why.
    std::optional<clock::time_point> explain_deadline;
  };

  void check_stranded(am_rank gone);
  void on_death(const death& of);
  void start_explain_timer(am_rank rank);
  [[nodiscard]] rank_name name_of(am_rank rank, pid_t pid) const;

  job_control& job_;
  host_set& hosts_;
  verdict& verdict_;
  const bool outlives_deaths_;
  epochs epochs_;
  std::vector<member> members_;
};

}  // namespace am::detail::run
