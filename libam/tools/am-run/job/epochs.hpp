// What the whole job knows of its ranks, on whatever hosts they are: who has joined, left or died
// in which epoch (rank_server.hpp), the fences, and the secret of each epoch.
#pragma once

#include <am/types.h>
#include <libam/seam/boot.hpp>
#include <libam/tools/am-run/job/rank_events.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

class epochs {
 public:
  using clock = std::chrono::steady_clock;
  using failure = std::function<void(int exit_status, std::string line)>;

  // `commands`: to the servers of all hosts. `stall_timeout`: after such a wait of a fence there is
  // a line about it; 0: never.
  epochs(rank_commands& commands, failure on_failed, am_rank ranks,
         std::chrono::seconds stall_timeout);

  // The events of the ranks (rank_events.hpp). One that cannot follow what came before is ignored.
  void draw_secret(unsigned epoch);
  void note_joined(am_rank rank, unsigned epoch, pid_t pid);
  void contribute(am_rank rank, unsigned epoch, std::string blobs);
  void note_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report);
  void note_left(am_rank rank, unsigned epoch);
  void note_lost(am_rank rank) { ranks_[rank].joined = false; }

  [[nodiscard]] bool is_joined(am_rank rank) const { return ranks_[rank].joined; }
  [[nodiscard]] bool others_joined(am_rank rank) const;
  // The process that is or was in the job; -1 if none has joined.
  [[nodiscard]] pid_t joined_pid(am_rank rank) const { return ranks_[rank].pid; }
  // How often it has joined, and how often it has left in good order.
  [[nodiscard]] unsigned epoch(am_rank rank) const { return ranks_[rank].epoch; }
  [[nodiscard]] unsigned completed(am_rank rank) const { return ranks_[rank].completed; }
  [[nodiscard]] bool has_left(am_rank rank) const {
    return epoch(rank) > 0 && completed(rank) == epoch(rank);
  }

  // `rank` has died and the others go on: all hosts are notified, and fences pass without it.
  // False: they cannot go on, because not all have been in the job together. A second call does
  // nothing.
  bool retire_rank(am_rank rank);

  // When the next fence will have waited so long that it should be reported.
  [[nodiscard]] std::optional<clock::time_point> next_stall_deadline() const;
  // One line for each that has.
  [[nodiscard]] std::vector<std::string> report_stalls(clock::time_point now);

 private:
  struct rank_state {
    bool joined = false;
    pid_t pid = -1;
    unsigned epoch = 0;
    unsigned completed = 0;
    unsigned retired_in = 0;  // the epoch in which it has died
  };
  // One epoch; the vectors are by rank.
  struct epoch_state {
    am_rank left = 0;
    std::vector<std::optional<std::uint64_t>> exit_reports;
    std::vector<bool> dead;
    am_rank deaths = 0;
    std::vector<std::optional<std::string>> contributions;
    am_rank arrived = 0;
    clock::time_point since{};
    bool stall_reported = false;
  };

  epoch_state* current(am_rank rank, unsigned epoch);
  [[nodiscard]] bool has_all(const epoch_state& epoch) const;
  void complete_fence(unsigned epoch);
  void erase_if_complete(unsigned epoch);
  [[nodiscard]] std::optional<clock::time_point> stall_deadline(const epoch_state& fence) const;
  [[nodiscard]] std::string describe_stall(const epoch_state& fence) const;

  rank_commands& commands_;
  failure on_failed_;
  std::chrono::seconds stall_timeout_;
  std::vector<rank_state> ranks_;
  std::map<unsigned, epoch_state> epochs_;
  unsigned secrets_ = 0;  // the secrets of so many epochs have been drawn
};

}  // namespace am::detail::run
