// The death of other ranks, or the end of the only way to one, in this order: what it had published
// is delivered; its port gives way to one that leads nowhere, and every request that is not
// answered for comes back; then the program is told. All of that happens where handlers may run,
// never inside a send that does not wait.
#pragma once

#include <libam/core/bulk.hpp>

#include <list>
#include <string_view>

namespace am::detail::core {

class failures final : private seam::mourner {
 public:
  failures(membership& in, dispatcher& messages, peers& of, transport_set& transports,
           bulk& with) noexcept
      : in_(in), dispatcher_(messages), peers_(of), transports_(transports), bulk_(with) {}

  // Inside a transport's look: nothing of it is changed here. `why`: how the way to it was lost;
  // empty: it has died.
  void hear_of_end(am_rank rank, std::string_view why);
  // Somebody has died and is not buried.
  [[nodiscard]] bool has_some() const noexcept { return !unburied_.empty(); }
  // Says how many handlers have run.
  unsigned mourn(unsigned budget) noexcept;
  void give_back_memory() noexcept { unburied_.clear(); }

 private:
  void bury(am_rank rank) noexcept;
  void lost(am_rank rank, const seam::lost_request& request) noexcept override;
  [[nodiscard]] bool has_died(am_rank peer) const noexcept override {
    return !peers_.is_lost(peer);
  }

  membership& in_;
  dispatcher& dispatcher_;
  peers& peers_;
  transport_set& transports_;
  bulk& bulk_;
  std::list<am_rank> unburied_;  // heard of, in the order in which that was
};

}  // namespace am::detail::core
