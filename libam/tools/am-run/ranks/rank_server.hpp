// am-run's side of the connections with the ranks of one host: admits ranks, gives those of one
// epoch the same memory, and passes what they send on to the job (rank_events.hpp).
//
// An epoch is one join of the whole job: the n-th join of every rank belongs to epoch n. Ranks may
// be one epoch apart, because a rank that has left may join again before the others have left.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/job/rank_events.hpp>
#include <libam/tools/am-run/job/rank_set.hpp>
#include <libam/tools/am-run/ranks/binding.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

class rank_server final : public rank_commands {
 public:
  // `folder`: for shared memory, if that must be a file.
  rank_server(event_loop& loop, rank_events& events, const rank_set& ranks, const binding& bindings,
              std::string folder);

  // Makes the join socket of a rank, and returns the end that the rank inherits. Invalid with errno
  // if that fails.
  base::fd open_join_socket(am_rank rank);

  // Reads all that the rank has sent so far.
  void read_pending(am_rank rank);

  // The process that is or was in the job; -1 if none has joined.
  [[nodiscard]] pid_t joined_pid(am_rank rank) const { return of(rank).pid; }

  void set_secret(unsigned epoch, const seam::job_secret& secret) override;
  void send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) override;
  void retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) override;

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
    bool in_fence = false;
  };
  struct pending_hello {
    am_rank rank;
    std::vector<base::fd> passed;
  };
  // One epoch on this host: its memory, and its secret once the job has drawn it. The vectors are
  // by rank of this host.
  struct epoch_state {
    base::fd memory;
    std::uint64_t host_id = 0;  // of the memory
    std::optional<seam::job_secret> secret;
    std::vector<pending_hello> waiting;  // for the secret
    am_rank left = 0;
    std::vector<std::optional<seam::exit_notification>> exit_notifications;
    std::vector<bool> dead;
    am_rank deaths = 0;
  };

  rank_state& of(am_rank rank) { return states_[ranks_.place_of(rank)]; }
  [[nodiscard]] const rank_state& of(am_rank rank) const { return states_[ranks_.place_of(rank)]; }

  // rank_server.cpp
  void read_join_socket(am_rank rank);
  void read_connection(am_rank rank);
  void watch_process(am_rank rank);
  void on_connection_lost(am_rank rank);
  void close_connection(am_rank rank);
  void send(am_rank rank, std::shared_ptr<const std::string> frame);
  void send_more(am_rank rank);
  // admission.cpp
  void read_hello(am_rank rank, seam::bytes_view text, std::vector<base::fd> passed);
  void admit(am_rank rank, std::vector<base::fd> passed);
  bool open_epoch(epoch_state& epoch, std::string& why);
  int send_welcome(am_rank rank, int socket, const epoch_state& epoch, std::string& why);
  void refuse(int socket, std::string line);
  void fail_join(std::string line, std::vector<base::fd> passed);
  // rank_frames.cpp
  bool handle_frame(am_rank rank, const boot::frame& received);
  bool handle_fence(am_rank rank, seam::bytes_view body);
  bool handle_notify(am_rank rank, seam::bytes_view body);
  bool handle_abort(am_rank rank, seam::bytes_view body);
  void handle_leave(am_rank rank);
  void erase_if_complete(unsigned epoch);
  // exit_reports.cpp
  void notify_of_death(const epoch_state& epoch, std::uint64_t exit_report);

  event_loop& loop_;
  rank_events& events_;
  const rank_set ranks_;
  const binding binding_;
  const std::string folder_;
  std::vector<rank_state> states_;  // by place
  std::map<unsigned, epoch_state> epochs_;
  // The descriptors of hellos that get no answer: the rank waits until the job has ended.
  std::vector<base::fd> unanswered_hellos_;
};

}  // namespace am::detail::run
