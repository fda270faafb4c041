// What the page of every measurement begins and ends with.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/measurement.hpp>

#include <string>
#include <string_view>

namespace calib {

// The machine, and whatever makes the figures unfit for use.
html::page begin_page(std::string_view title, const measurement& from);
// What is missing, what is worth knowing, and the JSON.
void end_page(const measurement& from, const std::string& json, html::page& into);

}  // namespace calib
