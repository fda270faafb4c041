#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/peers.hpp>

namespace am::detail::core {

peers::peers(am_rank rank, am_rank ranks, membership& in, transport_set& transports,
             poll_clock& clock)
    : ranks_(ranks),
      rank_(rank),
      in_(in),
      transports_(transports),
      clock_(clock),
      port_of_(ranks, &nowhere_),
      traffic_(ranks),
      views_(ranks) {
  ports_ = port_of_.data();
}

am_traffic peers::traffic_to(am_rank rank) const noexcept {
  am_traffic all = traffic_[rank];
  all.requests += ports_[rank]->credits.sent();  // to what a port that is gone had sent
  return all;
}

// Without a string of its own: it is asked where memory may be used up.
am_status peers::refuse_dead(am_rank rank) const {
  const auto lost = lost_.find(rank);
  return lost == lost_.end() ? base::fail(AM_PEER_DEAD, "rank {} has died", rank)
                             : base::fail(AM_PEER_LOST, "rank {} is lost: {}", rank, lost->second);
}

std::string peers::describe_end(am_rank rank) const {
  const auto lost = lost_.find(rank);
  return lost == lost_.end() ? base::format("rank {} has died", rank)
                             : base::format("rank {} is lost: {}", rank, lost->second);
}

seam::port& peers::retire(am_rank rank) noexcept {
  seam::port& port = *ports_[rank];
  ports_[rank] = &dead_;
  views_[rank] = {};
  ++deaths_;
  return port;
}

void peers::show(exposure& to) const noexcept {
  to.rank = rank_;
  to.ranks = ranks_;
  to.ports = views_.data();
  to.traffic = traffic_.data();
}

void peers::give_back_memory() noexcept {
  ports_ = nullptr;
  give_back_room(port_of_, traffic_, views_);
  lost_.clear();
}

}  // namespace am::detail::core
