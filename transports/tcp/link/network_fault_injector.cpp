#include <transports/tcp/link/network_fault_injector.hpp>

#include <transports/tcp/link/tcp_link.hpp>

#include <sys/socket.h>

#include <algorithm>

namespace am::detail::tcp {

namespace {

constexpr std::uint64_t max_shortened_bytes = 8;

// The system resets the connection at once, and drops what was in flight.
void reset(int socket) noexcept {
  sockaddr unspecified{};
  unspecified.sa_family = AF_UNSPEC;
  (void)::connect(socket, &unspecified, sizeof unspecified);
}

}  // namespace

bool network_fault_injector::should_inject(std::uint64_t rarity) noexcept {
  if (rarity == 0) return false;
  if (!is_seeded_) {
    base::random_source common = seam::common_random(context_);
    random_ = seam::own_random(common, context_.rank);
    is_seeded_ = true;
  }
  return random_.once_in(rarity);
}

std::span<const iovec> network_fault_injector::shorten(std::span<const iovec> parts) noexcept {
  if (!should_inject(faults_.cut_short)) return parts;
  std::size_t left = 1 + random_.below(max_shortened_bytes);
  shortened_.clear();
  for (const iovec& one : parts) {
    shortened_.push_back({one.iov_base, std::min(one.iov_len, left)});
    left -= shortened_.back().iov_len;
    if (left == 0) break;
  }
  return shortened_;
}

std::span<const std::byte> network_fault_injector::alter(std::span<const std::byte> frame,
                                                         tcp_link& to) {
  if (should_inject(faults_.reset)) {
    reset(to.socket());
    return frame;
  }
  if (should_inject(faults_.drop)) return {};
  altered_.assign(frame.begin(), frame.end());
  if (should_inject(faults_.corrupt)) {
    const std::uint64_t bit = random_.below(8 * frame.size());
    altered_[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  } else if (should_inject(faults_.dup)) {
    altered_.insert(altered_.end(), frame.begin(), frame.end());
  } else if (should_inject(faults_.truncate)) {
    altered_.resize(random_.below(frame.size()));
    const iovec part{altered_.data(), altered_.size()};
    (void)to.send({&part, 1});
    (void)::shutdown(to.socket(), SHUT_WR);
  }
  return altered_;
}

}  // namespace am::detail::tcp
