// The bodies of frames between am-run and its agents on other hosts: what is read from any bytes
// is in range, and would be written as those bytes.
#include "target.hpp"

#include <libam/tools/am-run/remote/host_frames.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace boot = am::detail::boot;
namespace run = am::detail::run;
namespace seam = am::detail::seam;

namespace {

// `frame` has this body.
bool has_body(const std::string& frame, seam::bytes_view body) {
  constexpr std::size_t header_bytes = 2 * sizeof(std::uint32_t);
  return std::ranges::equal(
      std::as_bytes(std::span(frame.data(), frame.size())).subspan(header_bytes), body);
}

void read_order(seam::bytes_view body) {
  run::start_order order;
  if (!run::read_start(body, order)) return;
  AM_PROMISE(!order.hosts.empty());
  const am_rank job_size = order.hosts.front().ranks.job_size();
  AM_PROMISE(job_size <= boot::most_ranks);
  std::vector<bool> taken(job_size);
  for (const run::placed_host& host : order.hosts) {
    AM_PROMISE(!host.name.empty() && !host.ranks.empty() && host.ranks.job_size() == job_size);
    for (const am_rank rank : host.ranks) {
      AM_PROMISE(rank < job_size && !taken[rank]);
      taken[rank] = true;
    }
  }
  AM_PROMISE(!order.command.empty());
  AM_PROMISE(has_body(run::make_start(order), body));
}

template <class... Values>
void read_values(seam::bytes_view body, Values... into) {
  if (!run::unpack(body, into...)) return;
  AM_PROMISE(has_body(run::make_host_frame(run::host_frame::ping, into...), body));
}

}  // namespace

// The first byte selects what is read.
AM_FUZZ_TARGET(host_frames) {
  if (input.empty()) return;
  const seam::bytes_view body = std::as_bytes(input.subspan(1));
  switch (input.front() % 5) {
    case 0: return read_order(body);
    case 1: return read_values(body);
    case 2: return read_values(body, std::uint32_t{}, std::uint32_t{}, std::uint64_t{});
    case 3: return read_values(body, std::uint32_t{}, std::uint32_t{}, std::string());
    default: return read_values(body, std::uint32_t{}, std::vector<std::string>());
  }
}
