// How the program of each layer is started over each transport: the tables of it.
#pragma once

#include <calib/driver/catalogue.hpp>

#include <string>
#include <vector>

namespace calib {

using words = std::vector<std::string>;

// One way to start the program of a layer.
struct start {
  std::string name = {};  // "" if there is but one
  words launcher = {};    // and its options; none: the program starts its other process itself
  words options = {};     // of the program
  words environment = {};
};

struct entry {
  carrier who;
  const char* program;  // in lib/am/calib
  std::vector<start> starts;
  bool when_named = false;  // it is measured when --layers names it, and not otherwise
};

const std::vector<transport>& all_transports();

// libam, its peers and the limits, to be held against each other; transport by transport.
const std::vector<entry>& all_entries();

// What libam itself takes over each transport; alone it takes none but self.
std::vector<entry> signature_entries();

// Its peers are started as they are beside it, in the first of their ways. There are more of them:
// each has less time.
std::vector<entry> peer_signature_entries();

}  // namespace calib
