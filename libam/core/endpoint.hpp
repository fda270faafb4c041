// The endpoint: one rank's place in a job, behind every am_ep_… call. It is composed of parts, each
// with its own state and its own file; a part uses those before it:
//
//   dispatcher      the table of handlers, which thread may call, replies
//   callbacks       the program's callbacks for deaths and for messages that came back
//   transport_set   the transports, best first
//   peers           the port to each rank, first contact, dead ranks
//   bulk            calls on bulk data: begun, served for others, ended; sending without waiting
//   failures        what a death does
//   stall_detector  warns of peers that make no progress
//   progress        polls, waits, sleep, posted functions
//   requests        requests that may have to wait, and those for later
//   bulk_calls      store, get, atomic, flush, fence
//   statistics      counters
//
// The endpoint itself joins and leaves (join.cpp, leave.cpp), does what all ranks do together
// (job_collectives.cpp), and sends the small request that finds a credit.
#pragma once

#include <am/am.h>
#include <libam/core/bulk_calls.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/hooked_handlers.hpp>
#include <libam/core/host_clocks.hpp>
#include <libam/core/statistics.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
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
  static am_status join_from_environment(endpoint** out);  // the job that the environment describes

  // ---- leave.cpp ----
  am_status close();  // afterwards every call is usage(left)
  void abandon() noexcept;
  void on_fork() noexcept;  // this is the child of a fork

  // ---- small_request.cpp ----
  // The fast path writes one counter beside the message, ends in the port's call, and keeps no
  // value across another call.
  am_status request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) {
    if (is_valid_request(to, handler)) [[likely]] {
      seam::port& port = peers_.port(to);
      if (port.take_from_run()) [[likely]]
        return port.send_in_run(handler, w3, w0, w1, w2);
    }
    return request_and_poll(to, handler, w0, w1, w2, w3);
  }

  // ---- job_collectives.cpp: collective ----
  am_status update_handlers();
  am_status fence_job();
  // All ranks' words, by rank, 0 for the dead. A rank without a word takes part all the same.
  am_status all_gather(am_word mine, am_status local_status, std::vector<am_word>& all);

  // ---- the parts, for the C interfaces ----
  [[nodiscard]] core::dispatcher& dispatcher() noexcept { return dispatcher_; }
  [[nodiscard]] core::callbacks& callbacks() noexcept { return callbacks_; }
  [[nodiscard]] const core::transport_set& transports() const noexcept { return transports_; }
  [[nodiscard]] core::peers& peers() noexcept { return peers_; }
  [[nodiscard]] const core::peers& peers() const noexcept { return peers_; }
  [[nodiscard]] core::bulk& bulk() noexcept { return bulk_; }
  [[nodiscard]] core::progress& progress() noexcept { return progress_; }
  [[nodiscard]] core::requests& requests() noexcept { return requests_; }
  [[nodiscard]] core::bulk_calls& bulk_calls() noexcept { return bulk_calls_; }
  [[nodiscard]] const core::statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] core::membership& membership() noexcept { return membership_; }
  // -1: it has left.
  [[nodiscard]] int descriptor() const noexcept;

  // Data of others that is stored here, in little room: a closed endpoint stays in memory.
  struct attachments {
    void* context = nullptr;     // the program's
    std::shared_ptr<void> team;  // of the calls of team.h, after the first (face/team.cpp)
    bool wants_thread = false;   // AM_PROGRESS=thread, for libraries over libam
    bool serves_clocks = false;  // in its join: AM_TRACE is set on several hosts
    unsigned all_gathers = 0;    // calls of all_gather so far: numbers their keys
  } attached;

 private:
  // Forwards the events of transports to the parts.
  class event_forwarder final : public seam::event_sink {
   public:
    explicit event_forwarder(endpoint& to) noexcept : endpoint_(to) {}
    void on_transfer_end(seam::transfer& one) noexcept override;
    void on_peer_failed(am_rank peer, std::string_view why) noexcept override;
    [[nodiscard]] bool is_known_mapped(am_rank peer, const void* where,
                                       std::size_t bytes) const noexcept override;
    void on_request_returned(am_status reason, const am_word* words,
                             bool unknown) noexcept override;
    void on_answer(const seam::answer& one) noexcept override;

   private:
    endpoint& endpoint_;
  };

  endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings);
  am_status initialize();
  void publish_exposure() noexcept;

  // With what this rank has failed at before: all ranks learn of it.
  am_status agree_on_handlers();
  // Is not called for ranks that have put nothing, because they have died. The bytes are valid
  // during the call.
  using blob_visitor = std::function<void(am_rank from, std::span<const std::byte> blob)>;
  am_status exchange(std::string_view key, std::span<const std::byte> mine, am_status local_status,
                     const blob_visitor& visit, progress::fence_work runs,
                     am_status if_another_fails);

  [[nodiscard]] bool all_answered() noexcept;
  void release() noexcept;
  void release_memory() noexcept;

  [[nodiscard]] bool is_valid_request(am_rank to, const am_handler* handler) const noexcept {
    return dispatcher_.may_call() && peers_.has(to) && dispatcher_.is_numbered(handler);
  }
  am_status request_and_poll(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                             am_word w2, am_word w3);

  // Those that a small request reads come first.
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
  stall_detector stalls_;
  core::membership membership_;
  std::unique_ptr<hooked_handlers> hooked_;  // null: neither AM_DIAL nor AM_TRACE is set
  event_forwarder event_forwarder_{*this};
};

}  // namespace am::detail::core
