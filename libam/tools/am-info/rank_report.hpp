// What one rank reports of its transports, and the encoding in which rank 0 gets it.
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
  std::string transport;             // empty: none reaches it
  std::string about;                 // from seam::port::describe_route
  std::vector<seam::attempt> tried;  // before `transport`
  auto operator<=>(const contact&) const = default;
};

struct rank_report {
  std::vector<seam::attempt> transports;  // empty outcome: it has that one
  std::vector<contact> contacts;          // by rank
};

std::string encode(const rank_report& report);
// Nothing if `bytes` are no report.
std::optional<rank_report> decode(std::span<const std::byte> bytes);

}  // namespace am::detail::info
