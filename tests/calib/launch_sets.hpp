// Launches whose figures are known, for tests of what is made of them.
#pragma once

#include <calib/driver/peers/result.hpp>

#include <initializer_list>
#include <string>

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

struct known_figure {
  const char* probe;
  double ns;
  const char* variant = "default";
};
struct known_launch {
  calib::measured_layer layer;
  std::initializer_list<known_figure> figures;
};

// Eight rounds in which everything is as many percent slower as the round's number: absolute
// figures drift, ratios do not.
inline calib::result eight_rounds(std::initializer_list<known_launch> launches) {
  calib::result out;
  for (unsigned round = 1; round <= 8; ++round)
    for (const known_launch& one : launches) {
      calib::launch& added =
          out.launches.emplace_back(launched(round, one.layer.name, one.layer.transport));
      for (const known_figure& f : one.figures)
        with(added, f.probe, f.ns * (1 + round / 100.0), f.variant);
    }
  out.rounds = 8;
  return out;
}

inline calib::result drifting_machine() {
  calib::result out = eight_rounds({
      {{"am-shm", "shm"}, {{"rtt", 420}, {"flood", 10}, {"rr_flood", 20}}},
      {{"limit-line", "shm"}, {{"rtt", 400}}},
      {{"openmpi", "shm"},
       {{"rtt", 840, "vader,send-recv"},
        {"flood", 130, "vader,window=64"},
        {"flood", 150, "vader,window=256"}}},
      {{"limit-ring", "shm"}, {{"rtt", 380}, {"flood", 8}}},
      {{"am-shm", "shm"}, {{"idle_poll", 0.5}}},
  });
  out.ratios_reached = true;
  return out;
}

// The same over shm, and beside it tcp: Open MPI is there over both.
inline calib::result two_transports() {
  calib::result out = drifting_machine();
  const calib::result more = eight_rounds({
      {{"limit-copy", "shm"}, {{"store/4096/touched", 100}}},
      {{"am-shm", "shm"}, {{"store/4096/touched", 125}}},
      {{"openmpi", "tcp"}, {{"rtt", 26400}, {"rr_flood", 4000}}},
      {{"limit-socket", "tcp"}, {{"rtt", 6000}, {"rr_flood", 20}, {"store/4096/touched", 500}}},
      {{"am-tcp", "tcp"}, {{"rtt", 6600}, {"rr_flood", 200}, {"store/4096/touched", 1000}}},
  });
  out.launches.insert(out.launches.end(), more.launches.begin(), more.launches.end());
  out.plan.bytes = {4096};
  return out;
}

// One transport with requests that have a payload, in ns: over one of its ways a peer is better
// than we are, and another is better than that one where messages are large.
inline calib::result mailing_machine() {
  return eight_rounds({
      {{"openmpi", "shm"}, {{"medium/64/oneway", 80}, {"medium/16384/oneway", 2500}}},
      {{"am-shm", "shm"},
       {{"medium/64/oneway", 40}, {"medium/16384/oneway", 2000}, {"medium/16384/bothways", 3000}}},
      {{"ucx-am", "shm"},
       {{"medium/64/oneway", 50},
        {"medium/16384/oneway", 4000},
        {"medium/16384/bothways", 6000, "window=8"},
        {"medium/16384/bothways", 2000, "window=8,eager"}}},
  });
}

// One transport with bulk data: ns for each piece.
inline calib::result moving_machine() {
  calib::result out = eight_rounds({
      {{"am-shm", "shm"}, {{"store/4096/touched", 125}, {"get/65536/untouched", 1800}}},
      {{"limit-copy", "shm"},
       {{"store/4096/touched", 100, "avx2"},
        {"store/4096/touched", 130, "memcpy"},
        {"get/65536/untouched", 2000, "memcpy"}}},
      {{"mpich", "shm"}, {{"get/65536/untouched", 7200, "window=16"}}},
  });
  out.plan.bytes = {4096, 65536};
  return out;
}
