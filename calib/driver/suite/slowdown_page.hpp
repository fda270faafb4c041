// The part of the page that shows a study of sensitivity.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/driver/suite/sensitivity.hpp>

#include <vector>

namespace calib::suite {

void add_sensitivities(const std::vector<sensitivity>& from, html::page& into);

}  // namespace calib::suite
