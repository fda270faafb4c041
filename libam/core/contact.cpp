// First contact: the best transport that reaches the peer, found by trying.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/peers.hpp>

#include <algorithm>
#include <new>

namespace am::detail::core {

am_status peers::try_contact(am_rank to) try {
  std::string tried;
  for (const transport_set::route& w : transports_.all()) {
    std::string why = w.why_not;
    if (w.transport != nullptr) {
      std::vector<std::byte> address;
      (void)membership_.job->get(to, "transport." + w.name, address);
      if (seam::port* port = w.transport->connect(to, address, why); port != nullptr) {
        set_route(to, w, *port);
        return AM_OK;
      }
      if (why.empty()) return AM_AGAIN_CONNECTING;
    }
    note_attempt(to, w.name, why);
    tried += base::format("{}{}: {}", tried.empty() ? "" : "; ", w.name, why);
  }
  return base::fail(AM_PEER_UNREACHABLE, "no transport reaches rank {} ({})", to, tried);
} catch (const std::bad_alloc&) {
  return base::fail(AM_RESOURCE_MEMORY, "out of memory for first contact with rank {}", to);
}

// No event announces the credits that a port begins with.
void peers::set_route(am_rank to, const transport_set::route& route, seam::port& port) {
  base::log(base::log_level::debug, "rank {} is reached by {}", to, route.name);
  note_attempt(to, route.name, {});
  ports_[to] = &port;
  clock_.note_unannounced();
  views_[to] = {&port.credits, port.request_ring_view(), {}};
  route.name.copy(views_[to].transport, sizeof views_[to].transport - 1);
  transports_.add_polled(*route.transport);
}

void peers::note_attempts(std::vector<std::vector<seam::attempt>>& attempts) {
  attempts.resize(ranks_);
  attempts_ = &attempts;
}

// A transport that could not decide at once is tried again: the last outcome counts.
void peers::note_attempt(am_rank to, std::string_view transport, std::string_view outcome) {
  if (attempts_ == nullptr) return;
  std::vector<seam::attempt>& known = (*attempts_)[to];
  auto place = std::ranges::find(known, transport, &seam::attempt::name);
  if (place == known.end()) place = known.insert(place, {std::string(transport), {}});
  place->outcome = outcome;
}

}  // namespace am::detail::core
