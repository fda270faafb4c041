// First contact: the best transport that reaches the peer, found by trying.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/endpoint.hpp>

#include <algorithm>
#include <new>

namespace am::detail::core {

am_status endpoint::make_contact(am_rank to, bool wait) {
  blocked here(shown_.doing);
  for (;;) {
    const am_status status = try_contact(to);
    if (status != AM_AGAIN_CONNECTING || !wait) return status;
    wait_a_turn(here, "first contact", &to);
    if (is_dead(to)) return refuse_dead(to);
  }
}

am_status endpoint::try_contact(am_rank to) try {
  std::string tried;
  for (way& w : ways_) {
    std::string why = w.why_not;
    if (w.transport != nullptr) {
      std::vector<std::byte> address;
      (void)job_->get(to, "transport." + w.name, address);
      if (seam::port* port = w.transport->connect(to, address, why); port != nullptr) {
        base::log(base::log_level::debug, "rank {} is reached by {}", to, w.name);
        note_attempt(to, w.name, {});
        ports_[to] = port;
        booked_at_ = polls_;
        port_views_[to] = {&port->credits, port->exposed(), {}};
        w.name.copy(port_views_[to].transport, sizeof port_views_[to].transport - 1);
        if (std::ranges::find(polled_, w.transport.get()) == polled_.end())
          polled_.push_back(w.transport.get());
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

// A transport that could not say at once may be asked again: its last word counts.
void endpoint::note_attempt(am_rank to, std::string_view transport, std::string_view outcome) {
  if (attempts_ == nullptr) return;
  std::vector<seam::attempt>& known = (*attempts_)[to];
  auto place = std::ranges::find(known, transport, &seam::attempt::name);
  if (place == known.end()) place = known.insert(place, {std::string(transport), {}});
  place->outcome = outcome;
}

std::vector<seam::attempt> endpoint::transports() const {
  std::vector<seam::attempt> all;
  for (const way& w : ways_) all.push_back({w.name, w.why_not});
  return all;
}

}  // namespace am::detail::core
