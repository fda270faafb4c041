#include <libam/base/format.hpp>
#include <libam/base/house_rules.hpp>
#include <libam/base/log.hpp>
#include <transports/ucx/first_contact.hpp>
#include <transports/ucx/manners.hpp>

#include <memory>
#include <utility>

namespace am::detail::ucx {

first_contact::first_contact(const seam::host& host, engine& ucx, peers& all,
                             channel_keeper& keeper, announced_segments& segments, lost_peers& lost)
    : host_(host),
      ucx_(ucx),
      peers_(all),
      keeper_(keeper),
      segments_(segments),
      lost_(lost),
      own_{this_host(), ucx.address()} {}

channel* first_contact::call(am_rank peer, std::span<const std::byte> address, std::string& why) {
  const auto theirs = contact::decode(address);
  if (!theirs) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  if (peer == host_.rank) {
    why = "it leads to other ranks only: AM_TRANSPORT leaves self out";
    return nullptr;
  }
  channel& with = channel_to(peer);
  if (!with.way.exists() && !reach_out(with, *theirs, why)) return nullptr;
  if (with.at() == channel::state::lost) {
    why = with.pair.why_lost();
    return nullptr;
  }
  if (!with.pair.is_proved()) with.greet(own_.encode());
  return &with;
}

channel& first_contact::channel_to(am_rank peer) {
  return peers_.find_or_make(
      peer, [&] { return std::make_unique<channel>(host_, peer, peers_, keeper_, ucx_); });
}

bool first_contact::reach_out(channel& to, const contact& theirs, std::string& why) {
  const base::house_rules while_it_starts;
  const listening ucx;
  const bool reached = to.way.reach_out(theirs.worker, theirs.host == own_.host, why);
  if (!reached) why = ucx.why(why);
  return reached;
}

void first_contact::is_greeted(am_rank by, std::span<const std::byte> contact) {
  greetings_.push_back({by, {contact.begin(), contact.end()}});
}

// A peer that this rank cannot reach is not told, for there is no way to it.
void first_contact::answer() {
  while (!greetings_.empty()) {
    const greeting one = std::move(greetings_.back());
    greetings_.pop_back();
    const auto theirs = contact::decode(one.contact);
    channel& with = channel_to(one.from);
    std::string why = "its hello makes no sense";
    if (!theirs || (!with.way.exists() && !reach_out(with, *theirs, why))) {
      base::log(base::log_level::info, "ucx: no answer to rank {}: {}", one.from, why);
      continue;
    }
    const bool is_new = with.pair.open();
    if (with.at() == channel::state::lost) lost_.add(with);
    if (!with.is_open()) continue;
    with.out.tell(kind::welcome, {});
    if (is_new) segments_.announce_all(with);
  }
}

}  // namespace am::detail::ucx
