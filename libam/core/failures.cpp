#include <libam/core/failures.hpp>

#include <libam/base/log.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace am::detail::core {

void failures::note_failure(am_rank rank, std::string_view why) {
  // Several transports may report one death.
  const bool died_after_loss = peers_.is_dead(rank) && why.empty() && peers_.is_lost(rank);
  if (peers_.is_dead(rank) && !died_after_loss) return;
  if (std::ranges::count(pending_failures_, rank) != 0) {
    if (why.empty()) peers_.clear_loss(rank);  // it has died since
    return;
  }
  if (!why.empty()) peers_.note_lost(rank, why);
  pending_failures_.push_back(rank);
}

unsigned failures::retire_failed_peers(unsigned budget) noexcept {
  unsigned delivered = 0;
  while (!pending_failures_.empty()) {
    const am_rank rank = pending_failures_.front();
    for (const transport_set::candidate& one : transports_.all()) {
      if (one.transport == nullptr) continue;
      delivered += one.transport->drain_dead_peer(rank, budget - delivered);
      if (delivered == budget) return delivered;
    }
    pending_failures_.pop_front();
    if (!peers_.is_dead(rank)) retire_peer(rank);
  }
  return delivered;
}

// A launcher handles a death. Only this rank knows of a loss, so it ends the job here if deaths do.
void failures::retire_peer(am_rank rank) noexcept {
  const am_status reason = peers_.reason(rank);
  const std::string line = peers_.describe_failure(rank);
  if (reason == AM_PEER_LOST && !membership_.settings->outlives_deaths) membership_.abort(1, line);
  base::log(base::log_level::info, "{}", line);
  seam::port& port = peers_.retire(rank);
  port.fail_pending(*this);
  port.credits.shut();
  peers_.traffic(rank).requests = port.credits.sent();
  bulk_.caller.fail_calls(rank);
  bulk_.sender.rooms.drop_peer(rank);
  bulk_.server.drop_peer(rank);
  bulk_.completions.push({rank, peer_failure_id, {}, nullptr, 0, reason, true});
}

// Requests to libam's own handlers belong to calls that are reported in another way, or to no call
// of the program. Other libraries handle their own.
void failures::on_lost_request(am_rank rank, const seam::lost_request& request) noexcept {
  const am_status reason = peers_.reason(rank);
  completion_entry back{rank, request.handler, {}, nullptr, 0, reason, request.unknown};
  std::copy_n(request.words, AM_WORDS, back.words);
  if (request.handler == store_handler.id) {
    store_header header{};
    if (request.bytes < sizeof header) return;
    std::memcpy(&header, request.data, sizeof header);
    back.handler = static_cast<std::uint32_t>(header.handler);
  } else if (request.handler == atomic_handler.id) {
    return bulk_.caller.fail_requested_atomic(request.words[1] >> 8, rank, reason, request.unknown);
  } else if (dispatcher_.is_of_library(request.handler)) {
    return;
  }
  bulk_.completions.push(back);
}

}  // namespace am::detail::core
