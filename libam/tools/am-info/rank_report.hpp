// What one rank tells of its transports, and the form in which rank 0 gets it.
#pragma once

#include <am/types.h>
#include <libam/seam/attempt.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::info {

// How it reaches a peer.
struct contact {
  std::string transport;             // empty: nothing does
  std::string about;                 // what the transport says of it (seam::port::about_way)
  std::vector<seam::attempt> tried;  // before it
  auto operator<=>(const contact&) const = default;
};

struct rank_report {
  std::vector<seam::attempt> transports;  // with the empty outcome: it has that one
  std::vector<contact> contacts;          // by rank
};

std::string encode(const rank_report& report);
// Nothing if these are not the bytes of a report.
std::optional<rank_report> decode(std::span<const std::byte> bytes);

}  // namespace am::detail::info
