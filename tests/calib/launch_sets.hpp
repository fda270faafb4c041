// Launches whose figures are known, for tests of what is made of them.
#pragma once

#include <calib/driver/peers/result.hpp>

#include <string>
#include <vector>

inline calib::launch launched(unsigned round, const std::string& layer,
                              const std::string& transport = "shm") {
  calib::launch out;
  out.layer = {layer, transport};
  out.round = round;
  return out;
}

// Adds a probe whose samples were all `ns`.
inline calib::launch& with(calib::launch& to, const std::string& probe, double ns,
                           const std::string& variant = "default") {
  to.measured.push_back({probe, variant, {ns, ns, ns}, 0, ns});
  return to;
}

// Eight rounds in which everything is as many percent slower as the round's number: absolute
// figures drift, ratios do not.
inline calib::result drifting_machine() {
  calib::result out;
  for (unsigned round = 1; round <= 8; ++round) {
    const double slow = 1 + round / 100.0;
    auto line = launched(round, "limit-line");
    with(line, "rtt", 400 * slow);
    auto ring = launched(round, "limit-ring");
    with(with(ring, "rtt", 380 * slow), "flood", 8 * slow);
    auto ours = launched(round, "am-shm");
    with(with(with(ours, "rtt", 420 * slow), "flood", 10 * slow), "rr_flood", 20 * slow);
    auto idle = launched(round, "am-shm");
    with(idle, "idle_poll", 0.5 * slow);
    auto mpi = launched(round, "openmpi");
    with(mpi, "rtt", 840 * slow, "vader,send-recv");
    with(mpi, "flood", 130 * slow, "vader,window=64");
    with(mpi, "flood", 150 * slow, "vader,window=256");
    for (const auto& one : {ours, line, mpi, ring, idle}) out.launches.push_back(one);
  }
  out.rounds = 8;
  out.ratios_reached = true;
  return out;
}

// The same over shm, and beside it tcp: Open MPI is there over both.
inline calib::result two_transports() {
  calib::result out = drifting_machine();
  for (unsigned round = 1; round <= 8; ++round) {
    const double slow = 1 + round / 100.0;
    auto limit = launched(round, "limit-socket", "tcp");
    with(with(limit, "rtt", 6000 * slow), "rr_flood", 20 * slow);
    with(limit, "store/4096/touched", 500 * slow);
    auto ours = launched(round, "am-tcp", "tcp");
    with(with(ours, "rtt", 6600 * slow), "rr_flood", 200 * slow);
    with(ours, "store/4096/touched", 1000 * slow);
    auto mpi = launched(round, "openmpi", "tcp");
    with(with(mpi, "rtt", 26400 * slow), "rr_flood", 4000 * slow);
    auto copy = launched(round, "limit-copy");
    with(copy, "store/4096/touched", 100 * slow);
    auto near = launched(round, "am-shm");
    with(near, "store/4096/touched", 125 * slow);
    for (const auto& one : {copy, near, mpi, limit, ours}) out.launches.push_back(one);
  }
  out.plan.bytes = {4096};
  return out;
}

// One transport with requests that have a payload, in ns: over one of its ways a peer is better
// than we are, and another is better than that one where messages are large.
inline calib::result mailing_machine() {
  calib::result out;
  for (unsigned round = 1; round <= 8; ++round) {
    const double slow = 1 + round / 100.0;
    auto ours = launched(round, "am-shm");
    with(with(ours, "medium/64/oneway", 40 * slow), "medium/16384/oneway", 2000 * slow);
    with(ours, "medium/16384/bothways", 3000 * slow);
    auto ucx = launched(round, "ucx-am");
    with(with(ucx, "medium/64/oneway", 50 * slow), "medium/16384/oneway", 4000 * slow);
    with(ucx, "medium/16384/bothways", 6000 * slow, "window=8");
    with(ucx, "medium/16384/bothways", 2000 * slow, "window=8,eager");
    auto mpi = launched(round, "openmpi");
    with(with(mpi, "medium/64/oneway", 80 * slow), "medium/16384/oneway", 2500 * slow);
    for (const auto& one : {mpi, ours, ucx}) out.launches.push_back(one);
  }
  out.rounds = 8;
  return out;
}

// One transport with bulk data: ns for each piece.
inline calib::result moving_machine() {
  calib::result out;
  for (unsigned round = 1; round <= 8; ++round) {
    const double slow = 1 + round / 100.0;
    auto limit = launched(round, "limit-copy");
    with(limit, "store/4096/touched", 100 * slow, "avx2");
    with(limit, "store/4096/touched", 130 * slow, "memcpy");
    with(limit, "get/65536/untouched", 2000 * slow, "memcpy");
    auto ours = launched(round, "am-shm");
    with(ours, "store/4096/touched", 125 * slow);
    with(ours, "get/65536/untouched", 1800 * slow);
    auto mpi = launched(round, "mpich");
    with(mpi, "get/65536/untouched", 7200 * slow, "window=16");
    for (const auto& one : {ours, limit, mpi}) out.launches.push_back(one);
  }
  out.rounds = 8;
  out.plan.bytes = {4096, 65536};
  return out;
}
