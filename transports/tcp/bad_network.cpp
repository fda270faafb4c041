#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/line.hpp>

#include <sys/socket.h>

#include <algorithm>

namespace am::detail::tcp {

namespace {

constexpr std::uint64_t few_bytes = 8;

// The system tells the other end at once, and forgets what was on its way.
void reset(int socket) noexcept {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  (void)::connect(socket, &nowhere, sizeof nowhere);
}

}  // namespace

bool bad_network::befalls(std::uint64_t rarity) noexcept {
  if (rarity == 0) return false;
  if (!drawn_) {
    base::dice common = seam::common_dice(host_);
    dice_ = seam::own_dice(common, host_.rank);
    drawn_ = true;
  }
  return dice_.once_in(rarity);
}

std::span<const iovec> bad_network::cut(std::span<const iovec> parts) noexcept {
  if (!befalls(faults_.cut_short)) return parts;
  std::size_t left = 1 + dice_.below(few_bytes);
  few_.clear();
  for (const iovec& one : parts) {
    few_.push_back({one.iov_base, std::min(one.iov_len, left)});
    left -= few_.back().iov_len;
    if (left == 0) break;
  }
  return few_;
}

std::span<const std::byte> bad_network::carry(std::span<const std::byte> frame, line& to) {
  if (befalls(faults_.reset)) {
    reset(to.socket());
    return frame;
  }
  if (befalls(faults_.drop)) return {};
  instead_.assign(frame.begin(), frame.end());
  if (befalls(faults_.corrupt)) {
    const std::uint64_t bit = dice_.below(8 * frame.size());
    instead_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  } else if (befalls(faults_.dup)) {
    instead_.insert(instead_.end(), frame.begin(), frame.end());
  } else if (befalls(faults_.truncate)) {
    instead_.resize(dice_.below(frame.size()));
    const iovec part{instead_.data(), instead_.size()};
    (void)to.send({&part, 1});
    (void)::shutdown(to.socket(), SHUT_WR);
  }
  return instead_;
}

}  // namespace am::detail::tcp
