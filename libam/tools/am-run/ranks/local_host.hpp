// The ranks of this host: started, served, watched. am-run has one for its own host, and an agent
// has one for its parent.
#pragma once

#include <libam/tools/am-run/job/host.hpp>
#include <libam/tools/am-run/ranks/launch.hpp>
#include <libam/tools/am-run/ranks/processes.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <functional>
#include <string>

namespace am::detail::run {

class local_host final : public host {
 public:
  // `take_output`: gets the pipes of each rank as it starts, where its output is captured.
  using output_taker = std::function<void(am_rank rank, base::fd output, base::fd errors)>;

  // `folder`: for shared memory, if that must be a file.
  local_host(std::string name, event_loop& loop, host_events& events, launch_plan plan,
             output_taker take_output, const std::string& folder);

  // Starts the ranks. Before each it calls `between`, so that the first ones can join while the
  // last ones are started; they end if that ends the job.
  void start(const std::function<void()>& between);

  [[nodiscard]] const std::string& name_of(am_rank) const override { return name_; }
  [[nodiscard]] const rank_set& ranks() const noexcept override { return ranks_; }
  [[nodiscard]] bool shares_terminal() const noexcept override { return true; }
  [[nodiscard]] bool is_working() const noexcept override { return processes_.any_alive(); }
  [[nodiscard]] bool is_finished() const noexcept override { return !is_working(); }

  void end_ranks(int signal, std::optional<am_rank> spare) override;
  void pass_signal(int signal) override { processes_.kill_all(signal); }
  void explain(am_rank rank) override;
  void on_children_ended(std::span<const ended_child> children) override;
  [[nodiscard]] bool has_child(pid_t) const noexcept override { return false; }
  void abandon() override {}

  void set_secret(unsigned epoch, const seam::job_secret& secret) override {
    server_.set_secret(epoch, secret);
  }
  void send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) override {
    server_.send_fenced(epoch, std::move(frame));
  }
  void retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) override {
    server_.retire(rank, epoch, exit_report);
  }

  [[nodiscard]] std::optional<clock::time_point> next_deadline() const override { return {}; }
  void check_deadline(clock::time_point) override {}

 private:
  bool start_rank(am_rank rank, std::string& why);

  const std::string name_;
  host_events& events_;
  const rank_set ranks_;
  const std::string program_;  // as the command line has it
  const std::string path_;
  output_taker take_output_;
  rank_server server_;
  launcher launcher_;
  processes processes_;
  bool ending_ = false;
};

}  // namespace am::detail::run
