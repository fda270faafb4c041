// The death of another rank, or the end of the only way to it, in this order: what it had published
// is delivered; its port gives way to one that leads nowhere, and every request that is not
// answered for comes back; then the program is told. All of that happens where handlers may run,
// never inside a send that does not wait.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace am::detail::core {

void endpoint::on_peer_failure(am_peer_failure_fn* fn, void* arg) noexcept {
  failure_.callback = fn;
  failure_.callback_arg = arg;
}

am_status endpoint::refuse_dead(am_rank rank) const {
  const auto lost = failure_.lost.find(rank);
  if (lost == failure_.lost.end()) return base::fail(AM_PEER_DEAD, "rank {} has died", rank);
  return base::fail(AM_PEER_LOST, "rank {} is lost: {}", rank, lost->second);
}

// Inside a transport's look: nothing of it is changed here.
void endpoint::heard_of_end(seam::inbox& inbox, am_rank rank, std::string_view why) noexcept {
  auto& self = static_cast<endpoint&>(inbox);
  // A death is seen by every transport that there is.
  const bool of_lost = self.is_dead(rank) && why.empty() && self.failure_.lost.contains(rank);
  if ((self.is_dead(rank) && !of_lost) || std::ranges::count(self.failure_.unburied, rank) != 0)
    return;
  if (!why.empty()) self.failure_.lost.emplace(rank, why);
  self.failure_.unburied.push_back(rank);
  self.mourning_ = true;
}

// Says how many handlers have run.
unsigned endpoint::mourn(unsigned budget) noexcept {
  unsigned delivered = 0;
  while (!failure_.unburied.empty()) {
    const am_rank rank = failure_.unburied.front();
    for (const way& w : ways_) {
      if (w.transport == nullptr) continue;
      delivered += w.transport->last_words(rank, budget - delivered);
      if (delivered == budget) return delivered;
    }
    failure_.unburied.pop_front();
    if (!is_dead(rank)) bury(rank);
  }
  mourning_ = false;
  return delivered;
}

// A launcher that knows of a death ends the job, or tells of it. Of a loss it cannot know.
void endpoint::bury(am_rank rank) noexcept {
  const am_status reason = failure_.reason(rank);
  const std::string line = reason == AM_PEER_LOST
                               ? base::format("rank {} is lost: {}", rank, failure_.lost[rank])
                               : base::format("rank {} has died", rank);
  if (reason == AM_PEER_LOST && !settings_.outlives_deaths) abort(1, line);
  base::log(base::log_level::info, "{}", line);
  seam::port& port = *ports_[rank];
  ports_[rank] = &dead_;
  ++failure_.deaths;
  port.give_up(*this);
  traffic_[rank].requests = port.credits.sent();
  port_views_[rank] = {};
  lose_calls(rank);
  std::erase_if(bulk_.owed, [&](const owed_bytes& debt) { return debt.to == rank; });
  bulk_.completions.push_back({rank, peer_failed, {}, nullptr, 0, reason, true});
}

bool endpoint::is_of_library(std::uint32_t handler) const noexcept {
  return (table_[std::min(handler, count_)].flags & AM_HANDLER_OF_LIBRARY) != 0;
}

// Handlers of libam's own stand for calls that are told of in another way, or for nobody's; other
// libraries look after themselves.
void endpoint::lost(am_rank rank, const seam::lost_request& request) noexcept {
  const am_status reason = failure_.reason(rank);
  completion back{rank, request.handler, {}, nullptr, 0, reason, request.unknown};
  std::copy_n(request.words, AM_WORDS, back.words);
  if (request.handler == store_handler.id) {
    store_header header{};
    if (request.bytes < sizeof header) return;
    std::memcpy(&header, request.data, sizeof header);
    back.handler = static_cast<std::uint32_t>(header.handler);
  } else if (request.handler == atomic_handler.id) {
    call* const asked = bulk_.pending.find(request.words[1] >> 8);
    const bool is_it = asked != nullptr && asked->what == call::kind::atomic &&
                       asked->in == call::stage::asked && asked->then.peer == rank;
    if (is_it) end_call(*asked, reason, request.unknown);
    return;
  } else if (is_of_library(request.handler)) {
    return;
  }
  bulk_.completions.push_back(back);
}

void endpoint::tell_of_death(am_rank rank) noexcept {
  if (failure_.callback == nullptr) return;
  const batch here(*this, rank, nullptr);
  running_ = count_;
  failure_.callback({face_, serial_}, rank, failure_.callback_arg);
}

}  // namespace am::detail::core
