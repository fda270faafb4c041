// Charts side by side, as SVG within HTML.
#pragma once

#include <calib/driver/output/chart.hpp>

#include <string>
#include <vector>

namespace calib::html {

// With a key above them, and where a chart has several curves with a label at the end of each.
std::string html_of(const std::vector<chart>& shown);

}  // namespace calib::html
