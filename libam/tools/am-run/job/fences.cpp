// The fences of the job: all blobs go to all ranks, once all living ranks have arrived.
#include <libam/base/format.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/job/epochs.hpp>

#include <memory>
#include <utility>

namespace am::detail::run {
namespace {

constexpr std::size_t most_named = 8;

}  // namespace

void epochs::contribute(am_rank rank, unsigned number, std::string blobs) {
  epoch_state* epoch = current(rank, number);
  if (epoch == nullptr || epoch->contributions[rank]) return;
  epoch->contributions[rank] = std::move(blobs);
  if (++epoch->arrived == 1) epoch->since = clock::now();
  if (has_all(*epoch)) complete_fence(number);
}

bool epochs::has_all(const epoch_state& epoch) const {
  return epoch.arrived + epoch.deaths == ranks_.size();
}

void epochs::complete_fence(unsigned number) {
  epoch_state& epoch = epochs_.at(number);
  std::size_t total = 0;
  for (const auto& part : epoch.contributions)
    total += (part ? part->size() : 0) + sizeof(std::uint32_t);
  if (total > boot::most_fenced_bytes)
    return on_failed_(1, base::format("the ranks have put {} bytes before one fence; {} may be put",
                                      total, boot::most_fenced_bytes));
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
  commands_.send_fenced(number, std::make_shared<const std::string>(
                                    boot::make_frame(boot::frame_kind::fenced, body)));
}

std::optional<epochs::clock::time_point> epochs::stall_deadline(const epoch_state& fence) const {
  if (fence.arrived == 0 || fence.stall_reported || stall_timeout_ == stall_timeout_.zero())
    return std::nullopt;
  return fence.since + stall_timeout_;
}

std::optional<epochs::clock::time_point> epochs::next_stall_deadline() const {
  std::optional<clock::time_point> next;
  for (const auto& [number, epoch] : epochs_) {
    const auto when = stall_deadline(epoch);
    if (when && (!next || *when < *next)) next = when;
  }
  return next;
}

std::vector<std::string> epochs::report_stalls(clock::time_point now) {
  std::vector<std::string> lines;
  for (auto& [number, epoch] : epochs_) {
    const auto when = stall_deadline(epoch);
    if (!when || now < *when) continue;
    epoch.stall_reported = true;
    lines.push_back(describe_stall(epoch));
  }
  return lines;
}

std::string epochs::describe_stall(const epoch_state& fence) const {
  std::string missing;
  std::size_t named = 0;
  for (am_rank rank = 0; rank < ranks_.size(); ++rank) {
    if (fence.contributions[rank] || fence.dead[rank]) continue;
    if (named++ < most_named) missing += base::format("{}{}", named > 1 ? ", " : "", rank);
  }
  if (named > most_named) missing += base::format(" and {} more", named - most_named);
  return base::format(
      "{} of {} ranks have waited for {} s, in a join, a fence or close, for all others; still to "
      "come: {}",
      fence.arrived, ranks_.size(), stall_timeout_.count(), missing);
}

}  // namespace am::detail::run
