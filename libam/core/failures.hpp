// The death of other ranks, or the loss of the only route to one, in this order: what it had
// published is delivered; its port is replaced by one without credits, and every unanswered request
// is returned; then the program's callback runs. All of that happens where handlers may run, never
// inside a send that does not wait.
#pragma once

#include <libam/core/bulk.hpp>

#include <list>
#include <string_view>

namespace am::detail::core {

class failures final : private seam::failure_sink {
 public:
  failures(membership& membership, dispatcher& dispatcher, peers& peers, transport_set& transports,
           bulk& bulk) noexcept
      : membership_(membership),
        dispatcher_(dispatcher),
        peers_(peers),
        transports_(transports),
        bulk_(bulk) {}

  // May run inside a transport's poll, so it changes nothing of the transport. `why`: how the route
  // was lost; empty: the rank has died.
  void note_failure(am_rank rank, std::string_view why);
  // A rank has failed and is not retired yet.
  [[nodiscard]] bool has_pending() const noexcept { return !pending_failures_.empty(); }
  // Returns how many handlers have run.
  unsigned retire_failed_peers(unsigned budget) noexcept;
  void release_memory() noexcept { pending_failures_.clear(); }

 private:
  void retire_peer(am_rank rank) noexcept;
  void on_lost_request(am_rank rank, const seam::lost_request& request) noexcept override;
  [[nodiscard]] bool has_died(am_rank peer) const noexcept override {
    return !peers_.is_lost(peer);
  }

  membership& membership_;
  dispatcher& dispatcher_;
  peers& peers_;
  transport_set& transports_;
  bulk& bulk_;
  std::list<am_rank> pending_failures_;  // in the order of their reports
};

}  // namespace am::detail::core
