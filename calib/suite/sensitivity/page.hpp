// The part of the page that shows a study of sensitivity.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/suite/result.hpp>

namespace calib::suite {

void add_sensitivities(const result& from, html::page& into);

}  // namespace calib::suite
