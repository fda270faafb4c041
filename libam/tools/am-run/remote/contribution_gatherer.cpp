#include <libam/tools/am-run/remote/contribution_gatherer.hpp>

#include <libam/tools/am-run/remote/host_frames.hpp>

#include <utility>

namespace am::detail::run {

// Ranks may be one epoch apart, and their blobs more than a frame has room for.
void contribution_gatherer::add(am_rank rank, unsigned epoch, std::string_view blobs) {
  if (epoch != epoch_ || gathered_.size() + blobs.size() > boot::most_fence_bytes) send();
  if (count_ == 0) since_ = clock::now();
  epoch_ = epoch;
  pack_one(gathered_, static_cast<std::uint32_t>(rank));
  pack_one(gathered_, blobs);
  if (++count_ + (epoch == retired_epoch_ ? retired_ : 0) >= ranks_) send();
}

void contribution_gatherer::note_retired(unsigned epoch) {
  retired_ = epoch == retired_epoch_ ? retired_ + 1 : 1;
  retired_epoch_ = epoch;
}

std::optional<contribution_gatherer::clock::time_point> contribution_gatherer::deadline() const {
  return count_ == 0 ? std::nullopt : std::optional(since_ + most_delay);
}

void contribution_gatherer::send_if_due(clock::time_point now) {
  if (const auto when = deadline(); when && now >= *when) send();
}

void contribution_gatherer::send() {
  if (count_ == 0) return;
  count_ = 0;
  send_up_(make_host_frame(host_frame::contributed, epoch_,
                           std::string_view(std::exchange(gathered_, {}))));
}

}  // namespace am::detail::run
