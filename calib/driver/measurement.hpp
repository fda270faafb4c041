// What both commands begin with: the launches of some layers, and under what they were made.
#pragma once

#include <calib/driver/catalogue.hpp>
#include <calib/driver/rounds.hpp>
#include <calib/driver/surroundings.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace calib {

struct measurement : judgement {
  calib::machine machine;
  surroundings at;
  plan planned;
  unsigned rounds = 0;
  bool complete = true;
  std::vector<std::string> missing;  // layers that cannot be had here
  std::vector<launch> launches;      // every sample
};

// Says what is missing. False, and a line: nothing was found of this kind.
bool is_anything(const catalogue& found, const char* kind);

// Measures what was found, unless this machine cannot. `enough`: as of measure().
void take(const catalogue& found, const plan& planned, measurement& into,
          const std::function<bool(const campaign&)>& enough);

// What the machine is, in a line.
std::string headline(const machine& m);

// Writes the result to `file`, if there is one, and the table to standard output, unless the result
// goes there (-). False: it could not.
bool tell(const std::optional<std::string>& file, const std::string& json,
          const std::string& table);

}  // namespace calib
