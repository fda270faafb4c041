// A profile for people.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <calib/driver/output/grid.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace calib {

// Failures and remarks, the parameters with their intervals, the cross-checks, each layer's
// signature, and what the time of a message consists of. `colour`: for a terminal.
std::string table_of(const profile& from, bool colour);

// A row for each layer, with these parameters in ns.
grid parameter_grid(const profile& from, std::initializer_list<const char*> names, bool colour);
// A row for each layer and operation: G, g0, from where on G holds, and half bandwidth.
grid loggp_grid(const profile& from, bool colour);
// What a message costs, over each of libam's transports.
std::vector<std::string> cost_sentences(const profile& from);

// The part about cross-checks; empty if there are none.
std::string cross_checks_text(const profile& from);

}  // namespace calib
