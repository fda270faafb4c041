// What am-suite starts: each program in Split-C over each transport of libam, and its twins over
// MPI.
#pragma once

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/suite/entry.hpp>

#include <string>
#include <vector>

namespace calib::suite {

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
