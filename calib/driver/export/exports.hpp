// A profile in the formats of other programs. What a format has no place for is in comments, if it
// has comments.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <string>

namespace calib {

// Comments of the formats that have them, as both begin: the machine, and the conditions.
std::string head_of(const profile& from);

// Every measured value in a row of its own, for spreadsheets (RFC 4180).
std::string csv_of(const profile& from);

// Command lines of LogGOPSim, which simulates the networks of the profile.
std::string loggopsim_of(const profile& from);

// The tables that netgauge's pattern `loggp` writes, one for each layer.
std::string netgauge_of(const profile& from);

}  // namespace calib
