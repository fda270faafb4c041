// All hosts that am-run, or an agent, reaches itself. What is commanded goes to each of them.
#pragma once

#include <libam/tools/am-run/job/host.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::run {

class host_set final : public rank_commands {
 public:
  using clock = host::clock;

  // In the order of their ranks.
  void add(std::unique_ptr<host> one) { all_.push_back(std::move(one)); }
  [[nodiscard]] bool has(am_rank rank) const;
  [[nodiscard]] const host& of(am_rank rank) const;
  [[nodiscard]] const std::string& name_of(am_rank rank) const { return of(rank).name_of(rank); }
  [[nodiscard]] host& of(am_rank rank) {
    return const_cast<host&>(std::as_const(*this).of(rank));  // this set is not const
  }

  [[nodiscard]] bool any_working() const;
  [[nodiscard]] bool all_finished() const;

  // `from_terminal`: ranks that share am-run's terminal have the signal already.
  void end_ranks(int signal, bool from_terminal = false, std::optional<am_rank> spare = {});
  void pass_signal(int signal, bool from_terminal = false);
  void on_children_ended(std::span<const ended_child> children);
  // Is this child of am-run a command that reaches another host?
  [[nodiscard]] bool has_child(pid_t pid) const;
  // Gives up the hosts that do not end by themselves.
  void abandon();

  [[nodiscard]] std::optional<clock::time_point> next_deadline() const;
  void check_deadlines(clock::time_point now);

  void set_secret(unsigned epoch, const seam::job_secret& secret) override;
  void send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) override;
  void retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) override;

 private:
  std::vector<std::unique_ptr<host>> all_;
};

}  // namespace am::detail::run
