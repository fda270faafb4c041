#include <transports/ucx/handshake.hpp>

#include <libam/base/format.hpp>
#include <libam/base/library_start_guard.hpp>
#include <libam/base/log.hpp>
#include <transports/ucx/ucx_logging.hpp>

#include <memory>
#include <utility>

namespace am::detail::ucx {

handshake::handshake(const seam::transport_context& context, engine& ucx, peers& all_peers,
                     channel_manager& manager, announced_segments& segments, lost_peers& lost,
                     host_monitor& hosts)
    : context_(context),
      ucx_(ucx),
      peers_(all_peers),
      manager_(manager),
      segments_(segments),
      lost_(lost),
      hosts_(hosts),
      own_{context.job.host_id(), hosts.own_listeners(), ucx.address()} {}

channel* handshake::connect(am_rank peer, std::span<const std::byte> address, std::string& why) {
  const auto theirs = rank_address::decode(address);
  if (!theirs) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  if (peer == context_.rank) {
    why = "it reaches other ranks only: AM_TRANSPORT leaves self out";
    return nullptr;
  }
  channel& with = channel_to(peer);
  if (with.current_state() == channel::state::lost) {
    // Over a route that was established, messages return when its loss is reported.
    if (with.pair.is_established()) return &with;
    why = with.pair.why_lost();
    return nullptr;
  }
  if (!with.ep.exists() && !create_endpoint(with, *theirs, why)) return nullptr;
  if (!with.pair.is_established()) with.send_hello(own_.encode());
  return &with;
}

channel& handshake::channel_to(am_rank peer) {
  return peers_.find_or_make(
      peer, [&] { return std::make_unique<channel>(context_, peer, peers_, manager_, ucx_); });
}

bool handshake::create_endpoint(channel& to, const rank_address& theirs, std::string& why) {
  const base::library_start_guard start_guard;
  const log_capture ucx_log;
  const bool same_host = theirs.host_id == own_.host_id;
  const bool reached = to.ep.create(theirs.worker, same_host, why);
  if (!reached) why = ucx_log.reason(why);
  if (reached && !same_host) hosts_.add(to.peer, theirs.listeners);
  return reached;
}

void handshake::on_hello(am_rank by, std::span<const std::byte> address) {
  hellos_.push_back({by, {address.begin(), address.end()}});
}

// A peer that this rank cannot reach is not notified: there is no route to it.
void handshake::answer_hellos() {
  while (!hellos_.empty()) {
    const pending_hello one = std::move(hellos_.back());
    hellos_.pop_back();
    const auto theirs = rank_address::decode(one.address);
    channel& with = channel_to(one.from);
    std::string why = "its hello is malformed";
    if (!theirs || (!with.ep.exists() && !create_endpoint(with, *theirs, why))) {
      base::log(base::log_level::info, "ucx: the hello of rank {} is not answered: {}", one.from,
                why);
      continue;
    }
    const bool is_new = with.pair.open();
    if (with.current_state() == channel::state::lost) lost_.add(with);
    if (!with.is_open()) continue;
    with.out.send_control(kind::welcome, {});
    if (is_new) segments_.announce_all(with);
    hosts_.note_contact();
  }
}

}  // namespace am::detail::ucx
