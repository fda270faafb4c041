// What an agent reports, in any order: am-run takes an event only of a rank of its hosts, and only
// where it can follow what came before.
#include "target.hpp"

#include <libam/tools/am-run/remote/agent_reports.hpp>

#include <map>
#include <string>

namespace run = am::detail::run;
namespace seam = am::detail::seam;

namespace {

const run::rank_set own_ranks({1, 2, 5}, 9);

class promises final : public run::host_events {
 public:
  void on_started(am_rank rank, pid_t) override {
    AM_PROMISE(own_ranks.has(rank) && !running_.contains(rank));
    running_[rank] = true;
  }
  void on_ended(am_rank rank, int) override {
    AM_PROMISE(is_running(rank));
    running_[rank] = false;
  }
  void on_explained(am_rank rank, bool) override { AM_PROMISE(own_ranks.has(rank)); }
  void on_host_lost(const run::rank_set& ranks, std::string how) override {
    AM_PROMISE(!ranks.empty());
    for (const am_rank rank : ranks) {
      AM_PROMISE(own_ranks.has(rank));
      running_[rank] = false;
    }
    check_line(how);
  }
  void on_message(std::string line) override { check_line(line); }
  void on_secret_wanted(unsigned) override {}
  void on_joined(am_rank rank, unsigned, pid_t) override { AM_PROMISE(was_started(rank)); }
  void on_contributed(am_rank rank, unsigned, std::string blobs) override {
    AM_PROMISE(was_started(rank) && seam::are_blobs(seam::as_bytes(blobs)));
  }
  void on_watching(am_rank rank, unsigned, std::uint64_t) override {
    AM_PROMISE(was_started(rank));
  }
  void on_left(am_rank rank, unsigned) override { AM_PROMISE(was_started(rank)); }
  void on_lost(am_rank rank) override { AM_PROMISE(was_started(rank)); }
  void on_aborted(am_rank rank, int, std::string line) override {
    AM_PROMISE(was_started(rank));
    check_line(line);
  }
  void on_failed(int status, std::string line) override {
    AM_PROMISE(status >= 0 && status <= 255);
    check_line(line);
  }

  [[nodiscard]] bool any_running() const {
    for (const auto& [rank, runs] : running_)
      if (runs) return true;
    return false;
  }

 private:
  static void check_line(const std::string& line) {
    AM_PROMISE(line.find('\n') == std::string::npos);
  }
  [[nodiscard]] bool was_started(am_rank rank) const { return running_.contains(rank); }
  [[nodiscard]] bool is_running(am_rank rank) const {
    const auto found = running_.find(rank);
    return found != running_.end() && found->second;
  }

  std::map<am_rank, bool> running_;
};

}  // namespace

// Frames, each as the number of its kind after `hello`, the length of its body, and the body.
AM_FUZZ_TARGET(agent_reports) {
  promises events;
  run::agent_reports reports(events, own_ranks);
  while (input.size() >= 2) {
    const auto kind = static_cast<std::uint32_t>(run::host_frame::hello) + input[0];
    const std::size_t bytes = std::min<std::size_t>(input[1], input.size() - 2);
    if (!reports.read(static_cast<run::host_frame>(kind), std::as_bytes(input.subspan(2, bytes))))
      return;
    AM_PROMISE(reports.any_running() == events.any_running());
    input = input.subspan(2 + bytes);
  }
}
