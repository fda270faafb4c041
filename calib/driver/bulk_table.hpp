// The part of the result that is about bulk data over one transport, for people: a table for each
// probe and form.
#pragma once

#include <calib/driver/catalogue.hpp>
#include <calib/driver/result.hpp>

#include <string>

namespace calib {

// Empty if there was no bulk data.
std::string bulk_tables(const result& from, const transport& over, bool colour);

}  // namespace calib
