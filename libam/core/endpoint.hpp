// The endpoint: one rank's place in a job, behind every am_ep_… call. It is composed of parts, each
// with its own state and its own file; a part knows those before it:
//
//   dispatcher     the table of handlers, who may call, replies
//   callbacks      what the program hears of deaths and of messages that came back
//   transport_set  the transports, best first
//   peers          the port to each rank, first contact, the dead
//   bulk           calls on bulk data: begun, owed to others, ended; sending without waiting
//   failures       what a death does
//   stall_watch    waiting that gets nowhere
//   progress       polls, waits, sleep, posted functions
//   requests       requests that may have to wait, and those for later
//   bulk_calls     store, get, atomic, flush, fence
//   statistics     counters
//
// Here stand joining and leaving (join.cpp, leave.cpp), what all ranks do together (together.cpp),
// and the small request that finds a credit.
#pragma once

#include <am/am.h>
#include <libam/core/bulk_calls.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/statistics.hpp>

#include <memory>
#include <vector>

namespace am::detail::core {

class endpoint final {
 public:
  ~endpoint();
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  // ---- join.cpp ----
  static am_status join(std::unique_ptr<seam::boot> job, const base::settings& settings,
                        endpoint** out);
  static am_status join_as_started(endpoint** out);  // the job that the environment tells of

  // ---- leave.cpp ----
  am_status close();  // afterwards the object answers usage(left)
  void abandon() noexcept;
  void forked() noexcept;  // this is the child of a fork

  // ---- small_request.cpp ----
  // It writes one counter beside the message, ends in the port's call and keeps nothing across
  // another.
  am_status request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) {
    if (acceptable(to, handler)) [[likely]] {
      seam::port& port = peers_.port(to);
      if (port.take_from_run()) [[likely]]
        return port.send_in_run(handler, w3, w0, w1, w2);
    }
    return request_and_look(to, handler, w0, w1, w2, w3);
  }

  // ---- together.cpp: collective ----
  am_status update_handlers();
  am_status fence_job();
  // Everybody's word, by rank, 0 of the dead. A rank that has none to give takes part all the same.
  am_status tell_all(am_word mine, am_status so_far, std::vector<am_word>& all);

  // ---- the parts, for the faces ----
  [[nodiscard]] core::dispatcher& dispatch() noexcept { return dispatcher_; }
  [[nodiscard]] core::callbacks& callbacks() noexcept { return callbacks_; }
  [[nodiscard]] const core::transport_set& transports() const noexcept { return transports_; }
  [[nodiscard]] core::peers& peers() noexcept { return peers_; }
  [[nodiscard]] const core::peers& peers() const noexcept { return peers_; }
  [[nodiscard]] core::bulk& bulk_data() noexcept { return bulk_; }
  [[nodiscard]] core::progress& progress() noexcept { return progress_; }
  [[nodiscard]] core::requests& requests() noexcept { return requests_; }
  [[nodiscard]] core::bulk_calls& bulk_calls() noexcept { return bulk_calls_; }
  [[nodiscard]] const core::statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] membership& in() noexcept { return in_; }
  // -1: it has left.
  [[nodiscard]] int descriptor() const noexcept;

  // What others keep here.
  struct attachments {
    void* context = nullptr;     // the program
    std::shared_ptr<void> team;  // the calls of team.h, once there was one (face/team.cpp)
  } attached;

 private:
  // Hands on what transports tell.
  class teller final : public seam::news {
   public:
    explicit teller(endpoint& to) noexcept : to_(to) {}
    void transferred(seam::transfer& one) noexcept override;
    void heard_of_end(am_rank peer, std::string_view why) noexcept override;
    [[nodiscard]] bool expects(am_rank peer, const void* where,
                               std::size_t bytes) const noexcept override;
    void given_back(am_status reason, const am_word* words, bool unknown) noexcept override;
    void answer_has_come(const seam::answer& one) noexcept override;

   private:
    endpoint& to_;
  };

  endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings);
  am_status enter();
  void show() noexcept;

  am_status agree_on_handlers();
  am_status exchange(std::string_view key, std::span<const std::byte> mine, am_status so_far,
                     std::vector<std::vector<std::byte>>& out, progress::meanwhile runs,
                     am_status if_another_fails);

  [[nodiscard]] bool all_answered() noexcept;
  void release() noexcept;
  void give_back_memory() noexcept;

  [[nodiscard]] bool acceptable(am_rank to, const am_handler* handler) const noexcept {
    return dispatcher_.in_order() && peers_.has(to) && dispatcher_.knows(handler);
  }
  am_status request_and_look(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                             am_word w2, am_word w3);

  // Those that a small request looks at come first.
  core::dispatcher dispatcher_;
  core::peers peers_;
  core::bulk bulk_;
  poll_clock clock_;
  core::progress progress_;
  core::transport_set transports_;
  failures failures_;
  core::requests requests_;
  core::bulk_calls bulk_calls_;
  core::callbacks callbacks_;
  core::statistics statistics_;
  stall_watch stalls_;
  membership in_;
  teller teller_{*this};
};

}  // namespace am::detail::core
