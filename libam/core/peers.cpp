#include <libam/core/peers.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/release_memory.hpp>

namespace am::detail::core {

peers::peers(am_rank rank, am_rank ranks, membership& membership, transport_set& transports,
             poll_clock& clock)
    : ranks_(ranks),
      rank_(rank),
      membership_(membership),
      transports_(transports),
      clock_(clock),
      port_of_(ranks, &uncontacted_port_),
      traffic_(ranks),
      views_(ranks) {
  ports_ = port_of_.data();
}

am_traffic peers::traffic_to(am_rank rank) const noexcept {
  am_traffic all = traffic_[rank];
  all.requests += ports_[rank]->credits.sent();  // plus those of a port that was retired
  return all;
}

// Makes no string of its own: it is called where memory may be used up.
am_status peers::refuse_dead(am_rank rank) const {
  const auto lost = lost_.find(rank);
  return lost == lost_.end() ? base::fail(AM_PEER_DEAD, "rank {} has died", rank)
                             : base::fail(AM_PEER_LOST, "rank {} is lost: {}", rank, lost->second);
}

std::string peers::describe_failure(am_rank rank) const {
  const auto lost = lost_.find(rank);
  return lost == lost_.end() ? base::format("rank {} has died", rank)
                             : base::format("rank {} is lost: {}", rank, lost->second);
}

seam::port& peers::retire(am_rank rank) noexcept {
  seam::port& port = *ports_[rank];
  ports_[rank] = &dead_port_;
  views_[rank] = {};
  ++deaths_;
  return port;
}

void peers::fill_exposure(exposure& to) const noexcept {
  to.rank = rank_;
  to.ranks = ranks_;
  to.ports = views_.data();
  to.traffic = traffic_.data();
}

void peers::release_memory() noexcept {
  ports_ = nullptr;
  free_containers(port_of_, host_of_, traffic_, views_);
  lost_.clear();
}

}  // namespace am::detail::core
