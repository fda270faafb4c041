// Where some of the ranks of a job run: this host (local_host.hpp), or another one with
// those that are reached through it (remote_host.hpp), which an interface hides.
#pragma once

#include <am/types.h>
#include <libam/tools/am-run/job/rank_events.hpp>
#include <libam/tools/am-run/job/rank_set.hpp>
#include <libam/tools/am-run/ranks/processes.hpp>

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace am::detail::run {

// What a host reports beside the events of its ranks.
class host_events : public rank_events {
 public:
  virtual void on_started(am_rank rank, pid_t pid) = 0;
  // All that the rank has sent has been reported before.
  virtual void on_ended(am_rank rank, int wait_status) = 0;
  // The answer to host::explain: whether the process that had joined as this rank is gone.
  virtual void on_explained(am_rank rank, bool is_gone) = 0;
  // The host of the first of these ranks has ended too early, or is silent. Its living ranks are
  // dead, and so are those of the hosts that were reached through it. `how`: one line.
  virtual void on_host_lost(const rank_set& ranks, std::string how) = 0;
  // A line to print, with the name of its host.
  virtual void on_message(std::string line) = 0;

 protected:
  ~host_events() = default;
};

class host : public rank_commands {
 public:
  using clock = std::chrono::steady_clock;

  virtual ~host() = default;

  [[nodiscard]] virtual const rank_set& ranks() const noexcept = 0;
  [[nodiscard]] virtual const std::string& name_of(am_rank rank) const = 0;
  // The signals of the terminal reach its ranks without am-run.
  [[nodiscard]] virtual bool shares_terminal() const noexcept = 0;
  // Some of its ranks run, or are still to start.
  [[nodiscard]] virtual bool is_working() const noexcept = 0;
  // Nothing more comes from it, neither events nor output.
  [[nodiscard]] virtual bool is_finished() const noexcept = 0;

  // Sends the signal to all living ranks but `spare`. After the first call no rank is started.
  virtual void end_ranks(int signal, std::optional<am_rank> spare) = 0;
  // A signal that ends no job: none is prevented from starting.
  virtual void pass_signal(int signal) = 0;
  virtual void explain(am_rank rank) = 0;
  // Is this child of am-run the command that reaches this host?
  [[nodiscard]] virtual bool has_child(pid_t pid) const noexcept = 0;
  // Children of am-run that have ended, among them perhaps those of this host.
  virtual void on_children_ended(std::span<const ended_child> children) = 0;
  // Gives up a host that does not end by itself.
  virtual void abandon() = 0;

  [[nodiscard]] virtual std::optional<clock::time_point> next_deadline() const = 0;
  virtual void check_deadline(clock::time_point now) = 0;
};

}  // namespace am::detail::run
