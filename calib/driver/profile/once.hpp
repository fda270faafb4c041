// A machine is measured once: by --if-missing, and by the first `show` where no timer does so.
#pragma once

#include <calib/driver/output/messages.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace calib {

// What decides whether a measurement may succeed now.
struct readiness {
  double load;
  unsigned cores;
  std::size_t cpus;  // that this process may use
};
readiness read_readiness();

// Why this machine cannot be measured, now or ever; empty: it can.
std::string find_obstacle(const readiness& now);

// What a request with --if-missing ends with before anything is measured. Nothing: it measures.
std::optional<exit_status> end_early(const std::vector<std::string>& places,
                                     const std::string& fingerprint, const readiness& now);

// What decides whether a person who asks for a profile gets a measurement.
struct occasion {
  bool terminal;   // a person reads, and may stop it; never in a job
  bool systemd;    // whose timer measures
  bool contained;  // in a container or a chroot
  bool allowed;    // by the setting of the packages
};
occasion read_occasion();

// Whether the text of /etc/default/am-tools, a list of assignments of a shell, has measure=no.
bool forbids_measuring(const std::string& settings);

// Whether `show` measures, because there is no profile in any of these places. If so, a message has
// said it.
bool measures_at_show(const std::vector<std::string>& places, const occasion& around,
                      const readiness& now);

}  // namespace calib
