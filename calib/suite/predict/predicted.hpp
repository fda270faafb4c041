// The predictions for all programs of a study over one transport on so many ranks, and what
// dialling this machine to be the other one has shown of them.
#pragma once

#include <calib/statistics.hpp>
#include <calib/suite/predict/prediction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib::suite {

struct predicted {
  prediction there;
  // With the dials, from the time with AM_DIAL=0: without what is cheaper there.
  prediction dialled;
  std::optional<estimate> seen;  // the slowdown by the dials; nothing: not checked
};

struct predicted_set {
  std::string transport;
  unsigned ranks;
  costs here;
  std::string transport_there;
  costs there;
  std::string machine_there;
  std::string dials;  // the value of AM_DIAL; "": nothing is dearer there
  std::vector<predicted> programs;
};

}  // namespace calib::suite
