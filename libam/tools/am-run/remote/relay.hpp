// The events of an agent's host, or of those below it, as frames to am-run.
#pragma once

#include <libam/base/format.hpp>
#include <libam/tools/am-run/job/host.hpp>
#include <libam/tools/am-run/remote/contribution_gatherer.hpp>
#include <libam/tools/am-run/remote/frame_pipe.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace am::detail::run {

class relay final : public host_events {
 public:
  relay(frame_pipe& to, contribution_gatherer& gatherer) : to_(to), gatherer_(gatherer) {}
  // Messages begin with this name; those of hosts below have theirs already.
  void set_host(std::string_view name) { prefix_ = base::format("host {}: ", name); }

  void on_started(am_rank rank, pid_t pid) override {
    send(host_frame::started, number(rank), number(pid));
  }
  void on_ended(am_rank rank, int wait_status) override {
    gatherer_.send();
    send(host_frame::ended, number(rank), number(wait_status));
  }
  void on_explained(am_rank rank, bool is_gone) override {
    send(host_frame::explained, number(rank), number(is_gone));
  }
  void on_host_lost(const rank_set& ranks, std::string how) override {
    send(host_frame::host_lost, ranks, std::string_view(how));
  }
  void on_message(std::string line) override {
    send(host_frame::message, std::string_view(prefix_ + line));
  }
  void on_secret_wanted(unsigned epoch) override { send(host_frame::secret_wanted, number(epoch)); }
  void on_joined(am_rank rank, unsigned epoch, pid_t pid) override {
    send(host_frame::joined, number(rank), number(epoch), number(pid));
  }
  void on_contributed(am_rank rank, unsigned epoch, std::string blobs) override {
    gatherer_.add(rank, epoch, blobs);
  }
  void on_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) override {
    send(host_frame::watching, number(rank), number(epoch), exit_report);
  }
  void on_left(am_rank rank, unsigned epoch) override {
    send(host_frame::left, number(rank), number(epoch));
  }
  void on_lost(am_rank rank) override {
    gatherer_.send();
    send(host_frame::lost, number(rank));
  }
  void on_aborted(am_rank rank, int exit_status, std::string line) override {
    send(host_frame::aborted, number(rank), number(exit_status), std::string_view(line));
  }
  void on_failed(int exit_status, std::string line) override {
    send(host_frame::failed, number(exit_status), std::string_view(prefix_ + line));
  }

 private:
  template <class Value>
  static std::uint32_t number(Value value) noexcept {
    return static_cast<std::uint32_t>(value);
  }
  template <class... Values>
  void send(host_frame kind, const Values&... values) {
    to_.send(make_host_frame(kind, values...));
  }

  frame_pipe& to_;
  contribution_gatherer& gatherer_;
  std::string prefix_;
};

// All that goes up from an agent.
struct relays {
  explicit relays(frame_pipe& to)
      : gatherer([&to](std::string frame) { to.send(std::move(frame)); }),
        own(to, gatherer),
        below(to, gatherer) {}
  relays(const relays&) = delete;
  relays& operator=(const relays&) = delete;

  contribution_gatherer gatherer;
  relay own;    // of the agent's host
  relay below;  // of the hosts below
};

}  // namespace am::detail::run
