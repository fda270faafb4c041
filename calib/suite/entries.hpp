// What am-suite starts: each program in Split-C over each transport of libam, and its twins over
// MPI.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <compare>
#include <string>
#include <vector>

namespace calib::suite {

// A program as one layer runs it.
struct entry {
  std::string program;    // "radix"
  std::string layer;      // "am-shm", "openmpi", "mpich", or "serial"
  std::string variant;    // of the program
  std::string transport;  // "shm", "tcp", "ucx"; "self" of one rank
  unsigned ranks = 2;
  std::string dial = {};  // the value of AM_DIAL; "": it is not set

  // Under which its launches are kept.
  [[nodiscard]] measured_layer key() const;
  [[nodiscard]] bool is_libam() const { return layer.starts_with("am-"); }

  auto operator<=>(const entry&) const = default;
};

struct selection {
  std::vector<std::string> programs;    // none: all
  std::vector<std::string> transports;  // none: shm, and tcp if it is there
  std::vector<unsigned> ranks;
  std::string size;  // quick, normal or paper; or small, of which a dear message is affordable
};

// In the order of the table.
std::vector<std::string> all_programs();
std::vector<std::string> all_transports();

struct found_entries {
  std::vector<entry> entries;  // those that can be started here
  catalogue started_as;        // a spec for each, and messages about the others
};
found_entries find_entries(const selection& of);
// libam's alone, on two or more ranks, with each of these values of AM_DIAL ("": without). By
// default over shm.
found_entries find_dialled(const selection& of, const std::vector<std::string>& values);

}  // namespace calib::suite
