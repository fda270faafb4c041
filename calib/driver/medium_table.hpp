// The part of the result that is about requests with a payload over one transport, for people: a
// table one way and a table both ways.
#pragma once

#include <calib/driver/catalogue.hpp>
#include <calib/driver/result.hpp>

#include <string>

namespace calib {

// Empty if there were none.
std::string medium_tables(const result& from, const transport& over, bool colour);

}  // namespace calib
