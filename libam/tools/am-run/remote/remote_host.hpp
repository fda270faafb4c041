// Another host of a job and those below it: am-run's side of the frames to and from the agent there
// (host_frames.hpp).
#pragma once

#include <libam/tools/am-run/job/host.hpp>
#include <libam/tools/am-run/remote/agent_reports.hpp>
#include <libam/tools/am-run/remote/frame_pipe.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/remote/remote_shell.hpp>
#include <libam/tools/am-run/remote/remote_stream.hpp>
#include <libam/tools/am-run/streams/forwarded_input.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::run {

class remote_host final : public host {
 public:
  // `peer_timeout`: an agent that is silent for so long is lost.
  remote_host(event_loop& loop, host_events& events, start_order order, output_taker& output,
              output_taker& errors, std::chrono::seconds peer_timeout);

  // `command` starts the agent. An error is reported like one of the command's.
  void start(std::vector<std::string> command, std::vector<std::string> environment,
             const sigset_t& signal_mask);

  // Of the host of the agent.
  [[nodiscard]] const std::string& name() const noexcept { return order_.hosts.front().name; }
  [[nodiscard]] const rank_set& ranks() const noexcept override { return ranks_; }
  [[nodiscard]] const std::string& name_of(am_rank rank) const override;
  [[nodiscard]] bool shares_terminal() const noexcept override { return false; }
  [[nodiscard]] bool is_working() const noexcept override { return state_ <= state::running; }
  [[nodiscard]] bool is_finished() const noexcept override { return state_ == state::finished; }
  [[nodiscard]] bool has_child(pid_t pid) const noexcept override {
    return shell_.pid() == pid && !shell_.has_ended();
  }

  void end_ranks(int signal, std::optional<am_rank> spare) override;
  void pass_signal(int signal) override;
  void explain(am_rank rank) override;
  void on_children_ended(std::span<const ended_child> children) override;
  void abandon() override;

  void set_secret(unsigned epoch, const seam::job_secret& secret) override;
  void send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) override;
  void retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) override;

  [[nodiscard]] std::optional<clock::time_point> next_deadline() const override;
  void check_deadline(clock::time_point now) override;

 private:
  static constexpr std::chrono::seconds hello_timeout{9};  // so that the job has ended within 10 s

  // connecting: hello has not come yet. draining: no rank runs, but output comes. closing: nothing
  // more comes, but the command has not ended.
  enum class state { connecting, running, draining, closing, finished };

  // Its agent sends frames and gets them.
  [[nodiscard]] bool is_served() const noexcept {
    return state_ == state::running || state_ == state::draining;
  }
  bool on_frame(host_frame kind, seam::bytes_view body);
  bool on_hello(seam::bytes_view body);
  bool on_forwarding_frame(host_frame kind, seam::bytes_view body);
  void on_line(const std::string& line);
  void note_output_end();
  // As many in the time limit as the system's keepalive sends for a pair of ranks.
  [[nodiscard]] std::chrono::milliseconds ping_interval() const {
    return std::chrono::milliseconds(peer_timeout_) / 4;
  }
  [[nodiscard]] clock::time_point silence_deadline() const;
  void lose(const std::string& how);
  void close(state next);

  host_events& events_;
  const start_order order_;
  const rank_set ranks_;  // of all its hosts
  agent_reports reports_;
  const std::chrono::seconds peer_timeout_;
  remote_shell shell_;
  frame_pipe pipe_;
  std::array<remote_stream, 2> streams_;
  input_reader input_;
  state state_ = state::connecting;
  std::string first_lines_;  // of the command, until hello
  // In the states connecting and closing, and where only one of the command and its output has
  // ended: when that has lasted too long.
  std::optional<clock::time_point> deadline_;
  clock::time_point next_ping_{};
  std::optional<clock::time_point> unanswered_since_;                 // of the last ping
  std::vector<std::pair<unsigned, seam::job_secret>> early_secrets_;  // drawn before hello
};

}  // namespace am::detail::run
