// The settings: one table defines name, default, range and help of every AM_* variable. The values
// are read from the environment once, at the join. `am-info -c`, docs/settings.md and the manual
// pages are made from the table.
#pragma once

#include <am/types.h>
#include <libam/base/dials.hpp>
#include <libam/base/faults.hpp>
#include <libam/base/log.hpp>
#include <libam/base/networks.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::base {

enum class wait_mode { automatic, spin, yield, block };

struct settings;

// How shm moves bulk data: a copy into a mapped segment, the kernel's copy between processes, or
// pieces in messages. automatic: the best that works.
enum class bulk_method { automatic, map, cma, fragments };

// One row of the table.
struct setting {
  std::string_view name;                                // "AM_WAIT"
  std::string_view fallback;                            // its default, as text
  std::string_view range;                               // for people: "spin|yield|auto", "1..65535"
  std::string_view help;                                // one sentence
  bool built;                                           // false: refused with one line when set
  bool (*read)(std::string_view value, settings& out);  // false: not in the range
};

std::span<const setting> settings_table() noexcept;

inline constexpr std::uint32_t most_credits = 4096;

// The values in force.
struct settings {
  wait_mode wait = wait_mode::automatic;
  log_level log = log_level::warn;
  std::string transport;   // AM_TRANSPORT: a list, ^name excludes; empty: all
  bool tcp_crypt = false;  // AM_TCP_CRYPT
  std::string bootstrap;   // AM_BOOTSTRAP: empty: by the environment
  std::string rsh = "ssh -T -o BatchMode=yes -o ControlMaster=no";  // AM_RSH, for am-run
  std::string bind;              // AM_BIND, for am-run: empty: core if the ranks have one each
  bool progress_thread = false;  // AM_PROGRESS
  bool outlives_deaths = false;  // AM_ON_PEER_DEATH
  std::uint32_t credits = most_credits;  // AM_CREDITS: W, requests in flight to one rank
  std::uint32_t shm_slots = 4096;        // AM_SHM_SLOTS: the most slots of one ring, a power of two
  std::uint32_t max_medium = 16 * 1024;  // AM_MAX_MEDIUM: bytes of the largest payload
  bulk_method shm_bulk = bulk_method::automatic;  // AM_SHM_BULK
  std::string stats;                              // AM_STATS: empty: none
  std::string module_path;                        // AM_MODULE_PATH: folders separated by :
  std::string shm_dir = "/dev/shm";               // AM_SHM_DIR: where files serve as shared memory
  std::chrono::seconds stall_warn{30};            // AM_STALL_WARN: 0: never
  networks tcp_net;                               // AM_TCP_NET
  std::chrono::seconds peer_timeout{30};          // AM_PEER_TIMEOUT
  faults fault;                                   // AM_FAULT
  dials dial;                                     // AM_DIAL
  std::string trace;                              // AM_TRACE: empty: none
  std::uint32_t trace_limit = 1024;               // AM_TRACE_LIMIT: MiB
  double dilate = 0;                              // AM_DILATE: 0: not set
  std::string profile = "auto";                   // AM_PROFILE: auto, off, or a file
};

struct effective_setting {
  std::string_view name;
  std::string value;
  bool from_environment;
};

// Reads the environment. A bad value, or one of a feature that is not built yet, is
// argument(setting) with the value and the range.
am_status read_settings(settings& out);

// One line for each AM_* in the environment that is in no row, with the nearest name.
std::vector<std::string> unknown_settings();

// Both, for a program that joins. Unknown settings are warnings, logged once, by one rank for all.
am_status load_settings(settings& out);

// Every row of the table with its current value, in table order.
std::vector<effective_setting> effective_settings();

}  // namespace am::detail::base
