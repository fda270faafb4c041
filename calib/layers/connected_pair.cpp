#include <calib/layers/connected_pair.hpp>

#include <calib/layers/am_locations.hpp>
#include <calib/layers/job_connection.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/pair.hpp>
#include <calib/program/report.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace calib {
namespace {

void run_over_loopback(const std::vector<int>& buffers, const run_at_end& run) {
  std::vector<connection> connections;
  for (const int bytes : buffers) connections.push_back(connect_loopback(bytes));
  run_pair(1, [&](side mine, std::byte*) {
    std::vector<int> ends;
    for (const connection& one : connections) ends.push_back(one.end_of(mine));
    run(mine, ends);
  });
}

// The one whose messages libam's own program of the same job measures.
std::optional<am::rank_id> find_peer(const std::vector<rank_location>& ranks) {
  for (const chosen_pair& one : choose_pairs(ranks))
    if (std::string_view(one.name) == "other-host") return one.peer;
  return std::nullopt;
}

void measure_in_job(am::endpoint& ep, const std::vector<rank_location>& ranks, am::rank_id peer,
                    const std::vector<int>& buffers, const run_at_end& run) {
  const std::vector<int> ends = connect_ranks(ep, 0, peer, buffers);
  if (ep.rank() == 0) {
    report::note("peer", std::to_string(peer));
    if (const std::string why = shared_cpu(ranks, peer); !why.empty()) report::note("shared", why);
    if (ends.empty()) report::note("unconnected", "no IPv4 address of the other host answers");
  }
  if (!ends.empty()) run(ep.rank() == 0 ? side::requester : side::responder, ends);
  ep.job_fence();
}

}  // namespace

void run_connected(int argc, char** argv, const options& opts, const std::vector<int>& buffers,
                   const run_at_end& run) {
  if (!opts.in_job) return run_over_loopback(buffers, run);
  try {
    am::endpoint ep = am::join(argc, argv);
    // Otherwise the launcher has placed the ranks.
    if (!opts.signature) pin(static_cast<int>(ep.rank()));
    const std::vector<rank_location> ranks = gather_locations(ep);
    if (const auto peer = find_peer(ranks)) measure_in_job(ep, ranks, *peer, buffers, run);
    ep.close();
    report::done();
  } catch (const am::error& error) {
    report::fault(error.what());
  }
}

}  // namespace calib
