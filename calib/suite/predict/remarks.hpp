// What has to be said of predictions: what speaks against their sources, and where they are known
// to be off.
#pragma once

#include <calib/suite/predict/machines.hpp>
#include <calib/suite/predict/study_file.hpp>
#include <calib/suite/result.hpp>

namespace calib::suite {

// The predictions are made.
void remark_on(const study& from, const machines& of, result& into);

}  // namespace calib::suite
