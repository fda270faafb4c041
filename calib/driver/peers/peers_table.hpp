// The result of `am-calibrate peers` for people. `colour`: for a terminal.
#pragma once

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/peers/result.hpp>

#include <string>

namespace calib {

// The tables of each transport, what the figures mean, and the remarks.
std::string table_of(const result& from, bool colour);

// Bulk data: a table for each probe and form. Empty if there is none.
std::string bulk_tables(const result& from, const transport& over, bool colour);

// Requests with a payload: a table one way and a table both ways. Empty if there are none.
std::string medium_tables(const result& from, const transport& over, bool colour);

}  // namespace calib
