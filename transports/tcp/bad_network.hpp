// A network in which things go wrong on purpose (AM_FAULT): calls that move a few bytes only, and
// what may befall a frame on its way. Those at both ends must notice, lose each other, and deliver
// nothing twice.
#pragma once

#include <libam/seam/fault_dice.hpp>

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class line;

class bad_network {
 public:
  explicit bad_network(const seam::host& host) : host_(host), faults_(host.settings.fault) {}

  // The parts that a call moves, or fewer bytes of them; good until the next call.
  std::span<const iovec> cut(std::span<const iovec> parts) noexcept;

  // What leaves in place of a frame, good until the next one; its connection may have ended. Empty:
  // nothing, and an empty frame should follow soon, by whose number the loss shows.
  std::span<const std::byte> carry(std::span<const std::byte> frame, line& to);

 private:
  bool befalls(std::uint64_t rarity) noexcept;

  const seam::host host_;
  const base::faults faults_;
  bool drawn_ = false;
  base::dice dice_{0};
  std::vector<std::byte> instead_;
  std::vector<iovec> few_;
};

}  // namespace am::detail::tcp
