// am-run's side of the conversations: lets ranks in, gives the ranks of one epoch the same memory,
// gathers what they bring to a fence and hands all of it to each.
//
// An epoch is one joining of the whole job: the n-th join of every rank belongs to epoch n. Ranks
// may be one epoch apart, for a rank that has left may join again before the others have left.
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

// What the server tells the job.
class server_listener {
 public:
  virtual void joined(am_rank rank) = 0;
  // Its conversation has ended without a leave, or has become nonsense.
  virtual void lost(am_rank rank) = 0;
  virtual void aborted(am_rank rank, int exit_status, std::string line) = 0;
  // The job cannot go on; am-run is to return this status.
  virtual void failed(int exit_status, std::string line) = 0;
  virtual void stalled(std::string line) = 0;

 protected:
  ~server_listener() = default;
};

class server {
 public:
  using clock = std::chrono::steady_clock;

  // `folder`: for shared memory, if that must be a file. `patience`: so long a fence may wait until
  // it is said; 0: for ever.
  server(event_loop& loop, server_listener& listener, am_rank ranks, const binding& places,
         std::string folder, std::chrono::seconds patience);

  // Makes the door of a rank; the end that the rank inherits. Invalid with errno if it cannot.
  base::fd open_door(am_rank rank);

  // Reads all that the rank has said so far.
  void settle(am_rank rank);

  [[nodiscard]] bool inside(am_rank rank) const { return bool(places_[rank].conversation); }
  [[nodiscard]] bool others_inside(am_rank rank) const;
  // The process that is or was inside; -1 if none has joined.
  [[nodiscard]] pid_t joined_pid(am_rank rank) const { return places_[rank].pid; }
  // How often it has joined, and how often it has left in good order.
  [[nodiscard]] unsigned epoch(am_rank rank) const { return places_[rank].epoch; }
  [[nodiscard]] unsigned completed(am_rank rank) const { return places_[rank].completed; }

  // `rank` has died and the others go on: writes its obituary, tells all of them, and lets fences
  // pass without it. False: they cannot, because not all have been in the job together. Nothing
  // happens when that has been done.
  bool bury(am_rank rank);

  // When the next fence has waited so long that it should be said.
  [[nodiscard]] std::optional<clock::time_point> next_stall() const;
  void say_stalls(clock::time_point now);

 private:
  struct talk {
    base::fd socket;
    base::fd lifeline;
    base::fd process;  // a pidfd: a child of the process may keep the socket open; or none
    boot::frame_reader reader{boot::most_fence_bytes + 64};
    std::deque<std::shared_ptr<const std::string>> outgoing;
    std::size_t sent = 0;  // of the first
  };
  struct place {
    base::fd door;
    std::unique_ptr<talk> conversation;
    pid_t pid = -1;
    unsigned epoch = 0;
    unsigned completed = 0;
    unsigned buried = 0;  // the epoch that it has died in
  };
  // One epoch: its memory, its secret, and the fence that is being gathered.
  struct gathering {
    base::fd memory;
    seam::job_secret secret;
    am_rank left = 0;
    std::vector<std::optional<seam::deathwatch>> watches;  // by rank
    std::vector<bool> dead;                                // by rank
    am_rank deaths = 0;
    std::vector<std::optional<std::string>> parts;
    am_rank arrived = 0;
    clock::time_point since{};
    bool stall_said = false;
  };

  void read_door(am_rank rank);
  void let_in(am_rank rank, seam::bytes_view hello, std::vector<base::fd> passed);
  void refuse(int socket, std::string line);
  void fail_to_let_in(std::string line, std::vector<base::fd> passed);
  void read_conversation(am_rank rank);
  void watch_process(am_rank rank);
  void lose(am_rank rank);
  bool take(am_rank rank, const boot::frame& said);
  bool take_fence(am_rank rank, seam::bytes_view body);
  void answer_fence(unsigned epoch);
  // When it should be said that this fence has waited long; never, if it has been.
  [[nodiscard]] std::optional<clock::time_point> stall_of(const gathering& fence) const;
  bool take_watch(am_rank rank, seam::bytes_view body);
  void tell_of_death(const gathering& epoch, am_rank dead);
  void count_out(am_rank rank);
  void forget_if_over(unsigned epoch);
  void close_conversation(am_rank rank);
  void send(am_rank rank, std::shared_ptr<const std::string> frame);
  void send_more(am_rank rank);

  event_loop& loop_;
  server_listener& listener_;
  binding cpus_;
  std::string folder_;
  std::chrono::seconds patience_;
  std::vector<place> places_;
  std::map<unsigned, gathering> epochs_;
  std::vector<base::fd> unanswered_;  // of ranks that wait for an answer until the job has ended
};

}  // namespace am::detail::run
