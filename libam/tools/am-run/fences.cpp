// The fences of the server: all blobs go to all ranks, once all living ranks have arrived.
#include <libam/base/format.hpp>
#include <libam/tools/am-run/server.hpp>

#include <cstring>

namespace am::detail::run {
namespace {

constexpr std::size_t most_named = 8;

}  // namespace

bool server::handle_fence(am_rank rank, seam::bytes_view body) {
  epoch_state& epoch = epochs_[ranks_[rank].epoch];
  auto& part = epoch.contributions[rank];
  // A rank that has not read the answer to its last fence cannot have arrived at the next.
  const bool has_read_answer = ranks_[rank].connection->outgoing.empty();
  if (part || !has_read_answer || body.size() > boot::most_fence_bytes + 64 ||
      !seam::read_blobs(body))
    return false;
  part.emplace(reinterpret_cast<const char*>(body.data()), body.size());
  if (++epoch.arrived == 1) epoch.since = clock::now();
  if (epoch.arrived + epoch.deaths == ranks_.size()) complete_fence(ranks_[rank].epoch);
  return true;
}

void server::complete_fence(unsigned number) {
  epoch_state& epoch = epochs_[number];
  std::size_t total = 0;
  for (const auto& part : epoch.contributions)
    total += part.value_or("").size() + sizeof(std::uint32_t);
  if (total > boot::most_fenced_bytes)
    return listener_.on_failed(
        1, base::format("the ranks have put {} bytes before one fence; {} may be put", total,
                        boot::most_fenced_bytes));
  std::string body;
  body.reserve(total);
  for (auto& part : epoch.contributions) {
    const std::string blobs = part ? std::move(*part) : "";  // the dead have none
    seam::add_number(body, static_cast<std::uint32_t>(blobs.size()));
    body.append(blobs);
    part.reset();
  }
  epoch.arrived = 0;
  epoch.stall_reported = false;
  // One copy serves all.
  const auto frame =
      std::make_shared<const std::string>(boot::make_frame(boot::frame_kind::fenced, body));
  for (am_rank rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].epoch == number) send(rank, frame);
}

std::optional<server::clock::time_point> server::stall_deadline(const epoch_state& fence) const {
  if (fence.arrived == 0 || fence.stall_reported || stall_timeout_ == stall_timeout_.zero())
    return std::nullopt;
  return fence.since + stall_timeout_;
}

std::optional<server::clock::time_point> server::next_stall_deadline() const {
  std::optional<clock::time_point> next;
  for (const auto& [number, epoch] : epochs_) {
    const auto when = stall_deadline(epoch);
    if (when && (!next || *when < *next)) next = when;
  }
  return next;
}

void server::report_stalls(clock::time_point now) {
  for (auto& [number, epoch] : epochs_) {
    const auto when = stall_deadline(epoch);
    if (!when || now < *when) continue;
    epoch.stall_reported = true;
    std::string missing;
    std::size_t named = 0;
    for (am_rank rank = 0; rank < ranks_.size(); ++rank) {
      if (epoch.contributions[rank] || epoch.dead[rank]) continue;
      if (named++ < most_named) missing += base::format("{}{}", named > 1 ? ", " : "", rank);
    }
    if (named > most_named) missing += base::format(" and {} more", named - most_named);
    listener_.on_stalled(
        base::format("{} of {} ranks have waited for {} s, in a join, a fence or close, for all "
                     "others; still to come: {}",
                     epoch.arrived, ranks_.size(), stall_timeout_.count(), missing));
  }
}

}  // namespace am::detail::run
