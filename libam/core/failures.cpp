#include <libam/base/log.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/failures.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace am::detail::core {

void failures::hear_of_end(am_rank rank, std::string_view why) {
  // A death is seen by every transport that there is.
  const bool of_lost = peers_.is_dead(rank) && why.empty() && peers_.is_lost(rank);
  if (peers_.is_dead(rank) && !of_lost) return;
  if (std::ranges::count(unburied_, rank) != 0) {
    if (why.empty()) peers_.forget_loss(rank);  // nothing comes of it any more
    return;
  }
  if (!why.empty()) peers_.note_lost(rank, why);
  unburied_.push_back(rank);
}

unsigned failures::mourn(unsigned budget) noexcept {
  unsigned delivered = 0;
  while (!unburied_.empty()) {
    const am_rank rank = unburied_.front();
    for (const transport_set::way& w : transports_.all()) {
      if (w.transport == nullptr) continue;
      delivered += w.transport->last_words(rank, budget - delivered);
      if (delivered == budget) return delivered;
    }
    unburied_.pop_front();
    if (!peers_.is_dead(rank)) bury(rank);
  }
  return delivered;
}

// A launcher that knows of a death ends the job, or tells of it. Of a loss it cannot know.
void failures::bury(am_rank rank) noexcept {
  const am_status reason = peers_.reason(rank);
  const std::string line = peers_.describe_end(rank);
  if (reason == AM_PEER_LOST && !in_.settings->outlives_deaths) in_.abort(1, line);
  base::log(base::log_level::info, "{}", line);
  seam::port& port = peers_.retire(rank);
  port.give_up(*this);
  port.credits.shut();
  peers_.traffic(rank).requests = port.credits.sent();
  bulk_.made.lose(rank);
  bulk_.by.rooms.forget(rank);
  bulk_.served.forget(rank);
  bulk_.ended.push({rank, peer_failed, {}, nullptr, 0, reason, true});
}

// Handlers of libam's own stand for calls that are told of in another way, or for nobody's; other
// libraries look after themselves.
void failures::lost(am_rank rank, const seam::lost_request& request) noexcept {
  const am_status reason = peers_.reason(rank);
  completion back{rank, request.handler, {}, nullptr, 0, reason, request.unknown};
  std::copy_n(request.words, AM_WORDS, back.words);
  if (request.handler == store_handler.id) {
    store_header header{};
    if (request.bytes < sizeof header) return;
    std::memcpy(&header, request.data, sizeof header);
    back.handler = static_cast<std::uint32_t>(header.handler);
  } else if (request.handler == atomic_handler.id) {
    return bulk_.made.lose_asked_atomic(request.words[1] >> 8, rank, reason, request.unknown);
  } else if (dispatcher_.is_of_library(request.handler)) {
    return;
  }
  bulk_.ended.push(back);
}

}  // namespace am::detail::core
