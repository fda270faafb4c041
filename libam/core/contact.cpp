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
  for (const transport_set::candidate& one : transports_.all()) {
    std::string why = one.why_not;
    if (one.transport != nullptr) {
      std::vector<std::byte> address;
      (void)membership_.job->get(to, "transport." + one.name, address);
      if (seam::port* port = one.transport->connect(to, address, why); port != nullptr) {
        set_route(to, one, *port);
        return AM_OK;
      }
      if (why.empty()) return AM_AGAIN_CONNECTING;
    }
    note_attempt(to, one.name, why);
    tried += base::format("{}{}: {}", tried.empty() ? "" : "; ", one.name, why);
  }
  return base::fail(AM_PEER_UNREACHABLE, "no transport reaches rank {} ({})", to, tried);
} catch (const std::bad_alloc&) {
  return base::fail(AM_RESOURCE_MEMORY, "out of memory for first contact with rank {}", to);
}

// No event announces the credits that a port begins with.
void peers::set_route(am_rank to, const transport_set::candidate& used, seam::port& port) {
  base::log(base::log_level::debug, "rank {} is reached by {}", to, used.name);
  note_attempt(to, used.name, {});
  ports_[to] = &port;
  clock_.note_unannounced();
  views_[to] = {&port.credits, port.request_ring_view(), {}};
  used.name.copy(views_[to].transport, sizeof views_[to].transport - 1);
  transports_.add_polled(*used.transport);
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
