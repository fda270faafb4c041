// am-run's side of the connections: admits ranks, gives the ranks of one epoch the same memory,
// collects their blobs for a fence and sends all of them to each.
//
// An epoch is one join of the whole job: the n-th join of every rank belongs to epoch n. Ranks may
// be one epoch apart, because a rank that has left may join again before the others have left.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/binding.hpp>
#include <libam/tools/am-run/event_loop.hpp>

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::run {

// What the server reports to the job.
class server_listener {
 public:
  virtual void on_joined(am_rank rank) = 0;
  // Its connection has ended without a leave, or has broken the protocol.
  virtual void on_lost(am_rank rank) = 0;
  virtual void on_aborted(am_rank rank, int exit_status, std::string line) = 0;
  // The job cannot go on; am-run is to return this status.
  virtual void on_failed(int exit_status, std::string line) = 0;
  virtual void on_stalled(std::string line) = 0;

 protected:
  ~server_listener() = default;
};

class server {
 public:
  using clock = std::chrono::steady_clock;

  // `folder`: for shared memory, if that must be a file. `stall_timeout`: after such a wait of a
  // fence on_stalled is called; 0: never.
  server(event_loop& loop, server_listener& listener, am_rank ranks, const binding& bindings,
         std::string folder, std::chrono::seconds stall_timeout);

  // Makes the join socket of a rank, and returns the end that the rank inherits. Invalid with errno
  // if that fails.
  base::fd open_join_socket(am_rank rank);

  // Reads all that the rank has sent so far.
  void read_pending(am_rank rank);

  [[nodiscard]] bool is_joined(am_rank rank) const { return bool(ranks_[rank].connection); }
  [[nodiscard]] bool others_joined(am_rank rank) const;
  // The process that is or was in the job; -1 if none has joined.
  [[nodiscard]] pid_t joined_pid(am_rank rank) const { return ranks_[rank].pid; }
  // How often it has joined, and how often it has left in good order.
  [[nodiscard]] unsigned epoch(am_rank rank) const { return ranks_[rank].epoch; }
  [[nodiscard]] unsigned completed(am_rank rank) const { return ranks_[rank].completed; }

  // `rank` has died and the others go on: sets its exit flag, notifies all of them, and lets fences
  // pass without it. False: they cannot go on, because not all have been in the job together. A
  // second call does nothing.
  bool retire_rank(am_rank rank);

  // When the next fence will have waited so long that it should be reported.
  [[nodiscard]] std::optional<clock::time_point> next_stall_deadline() const;
  void report_stalls(clock::time_point now);

 private:
  struct rank_connection {
    base::fd socket;
    base::fd lifeline;
    base::fd process;  // a pidfd, because a child may keep the socket open; or none
    boot::frame_reader reader{boot::most_fence_bytes + 64};
    std::deque<std::shared_ptr<const std::string>> outgoing;
    std::size_t sent = 0;  // of the first
  };
  struct rank_state {
    base::fd join_socket;
    std::unique_ptr<rank_connection> connection;
    pid_t pid = -1;
    unsigned epoch = 0;
    unsigned completed = 0;
    unsigned retired_in = 0;  // the epoch in which it has died
  };
  // One epoch: its memory, its secret, and the current fence.
  struct epoch_state {
    base::fd memory;
    seam::job_secret secret;
    am_rank left = 0;
    std::vector<std::optional<seam::exit_notification>> exit_notifications;  // by rank
    std::vector<bool> dead;                                                  // by rank
    am_rank deaths = 0;
    std::vector<std::optional<std::string>> contributions;
    am_rank arrived = 0;
    clock::time_point since{};
    bool stall_reported = false;
  };

  void read_join_socket(am_rank rank);
  void admit(am_rank rank, seam::bytes_view hello, std::vector<base::fd> passed);
  void refuse(int socket, std::string line);
  void fail_join(std::string line, std::vector<base::fd> passed);
  void read_connection(am_rank rank);
  void watch_process(am_rank rank);
  void on_connection_lost(am_rank rank);
  bool handle_frame(am_rank rank, const boot::frame& received);
  bool handle_fence(am_rank rank, seam::bytes_view body);
  void complete_fence(unsigned epoch);
  // When it should be reported that this fence has waited long; never, if it has been.
  [[nodiscard]] std::optional<clock::time_point> stall_deadline(const epoch_state& fence) const;
  bool handle_notify(am_rank rank, seam::bytes_view body);
  void notify_of_death(const epoch_state& epoch, am_rank dead);
  void record_leave(am_rank rank);
  void erase_if_complete(unsigned epoch);
  void close_connection(am_rank rank);
  void send(am_rank rank, std::shared_ptr<const std::string> frame);
  void send_more(am_rank rank);

  event_loop& loop_;
  server_listener& listener_;
  binding binding_;
  std::string folder_;
  std::chrono::seconds stall_timeout_;
  std::vector<rank_state> ranks_;
  std::map<unsigned, epoch_state> epochs_;
  // The descriptors of hellos that get no answer: the rank waits until the job has ended.
  std::vector<base::fd> unanswered_hellos_;
};

}  // namespace am::detail::run
