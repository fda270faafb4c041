// The fences of the server: everyone's blobs to everyone, once all have come who live.
#include <libam/base/format.hpp>
#include <libam/tools/am-run/server.hpp>

#include <cstring>

namespace am::detail::run {
namespace {

constexpr std::size_t most_named = 8;

}  // namespace

bool server::take_fence(am_rank rank, seam::bytes_view body) {
  gathering& epoch = epochs_[places_[rank].epoch];
  auto& part = epoch.parts[rank];
  // Who has not taken the answer to its last fence has not asked for the next.
  const bool heard = places_[rank].conversation->outgoing.empty();
  if (part || !heard || body.size() > boot::most_fence_bytes + 64 || !seam::read_blobs(body))
    return false;
  part.emplace(reinterpret_cast<const char*>(body.data()), body.size());
  if (++epoch.arrived == 1) epoch.since = clock::now();
  if (epoch.arrived + epoch.deaths == places_.size()) answer_fence(places_[rank].epoch);
  return true;
}

void server::answer_fence(unsigned number) {
  gathering& epoch = epochs_[number];
  std::size_t total = 0;
  for (const auto& part : epoch.parts) total += part.value_or("").size() + sizeof(std::uint32_t);
  if (total > boot::most_fenced_bytes)
    return listener_.failed(
        1, base::format("the ranks have put {} bytes before one fence; {} may be put", total,
                        boot::most_fenced_bytes));
  std::string body;
  body.reserve(total);
  for (auto& part : epoch.parts) {
    const std::string blobs = part ? std::move(*part) : "";  // the dead have none
    seam::add_number(body, static_cast<std::uint32_t>(blobs.size()));
    body.append(blobs);
    part.reset();
  }
  epoch.arrived = 0;
  epoch.stall_said = false;
  // One copy serves all.
  const auto frame =
      std::make_shared<const std::string>(boot::make_frame(boot::frame_kind::fenced, body));
  for (am_rank rank = 0; rank < places_.size(); ++rank)
    if (places_[rank].epoch == number) send(rank, frame);
}

std::optional<server::clock::time_point> server::stall_of(const gathering& fence) const {
  if (fence.arrived == 0 || fence.stall_said || patience_ == patience_.zero()) return std::nullopt;
  return fence.since + patience_;
}

std::optional<server::clock::time_point> server::next_stall() const {
  std::optional<clock::time_point> next;
  for (const auto& [number, epoch] : epochs_) {
    const auto when = stall_of(epoch);
    if (when && (!next || *when < *next)) next = when;
  }
  return next;
}

void server::say_stalls(clock::time_point now) {
  for (auto& [number, epoch] : epochs_) {
    const auto when = stall_of(epoch);
    if (!when || now < *when) continue;
    epoch.stall_said = true;
    std::string missing;
    std::size_t named = 0;
    for (am_rank rank = 0; rank < places_.size(); ++rank) {
      if (epoch.parts[rank] || epoch.dead[rank]) continue;
      if (named++ < most_named) missing += base::format("{}{}", named > 1 ? ", " : "", rank);
    }
    if (named > most_named) missing += base::format(" and {} more", named - most_named);
    listener_.stalled(
        base::format("{} of {} ranks have waited for {} s, in a join, a fence or close, for all "
                     "others; still to come: {}",
                     epoch.arrived, places_.size(), patience_.count(), missing));
  }
}

}  // namespace am::detail::run
