// The tables of transports, and of how the program of each layer is started over each transport.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <string>
#include <vector>

namespace calib {

using string_list = std::vector<std::string>;

// A method to start the program of a layer.
struct start_method {
  std::string name = {};       // "" if there is only one
  string_list launcher = {};   // and its options; none: the program starts its other process
  string_list options = {};    // of the program
  string_list variables = {};  // of the environment, NAME=value
};

struct layer_entry {
  measured_layer layer;
  const char* program;  // in lib/am/calib
  std::vector<start_method> methods;
  bool only_if_named = false;  // measured only if --layers names it
};

const std::vector<transport>& all_transports();

// For `am-calibrate peers`: libam, its peers and the limits, transport by transport.
const std::vector<layer_entry>& layer_entries();

// For `am-calibrate run`: libam over each of its transports.
std::vector<layer_entry> signature_entries();

// Its peers, by the first of their methods. They take fewer samples, because they are many.
std::vector<layer_entry> peer_signature_entries();

}  // namespace calib
