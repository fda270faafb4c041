// A profile in the languages of other programs, with what they cannot say of it in comments, where
// they have any.
#pragma once

#include <calib/driver/output.hpp>
#include <calib/driver/profile.hpp>

#include <optional>
#include <string>

namespace calib {

// Every measured value in a row of its own, for spreadsheets (RFC 4180).
std::string csv_of(const profile& from);

// The command lines by which LogGOPSim simulates these networks.
std::string loggopsim_of(const profile& from);

// The tables that netgauge's pattern `loggp` writes, one for each layer.
std::string netgauge_of(const profile& from);

// `format` is one of csv, loggopsim and netgauge. No file: the profile that is kept as usual.
exit_status export_profile(const std::string& format, const std::optional<std::string>& file);

}  // namespace calib
