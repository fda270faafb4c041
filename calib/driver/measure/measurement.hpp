// What every command that measures begins with: the launches of some layers, and the conditions of
// them.
#pragma once

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/measure/environment.hpp>
#include <calib/driver/measure/rounds.hpp>
#include <calib/driver/output/messages.hpp>

#include <functional>
#include <string>
#include <vector>

namespace calib {

struct measurement : fitness {
  calib::machine machine;
  calib::environment environment;
  calib::plan plan;
  unsigned rounds = 0;
  bool complete = true;
  std::vector<std::string> missing;  // a message for each layer that is not available here
  std::vector<launch> launches;      // with every sample
};

// For tables: "3 rounds in 12 s".
std::string rounds_text(const measurement& of);
// Before its end, in or behind a launch.
bool was_stopped(const measurement& of);
// For tables: a line, if the measurement was stopped.
std::string stopped_text(const measurement& of);

// Reports what is missing. False: nothing of this kind was found, and a message has said so.
bool check_found(const catalogue& found, const char* kind);

// Measures what was found, if this machine is able to. `enough`: as of measure().
void take_measurements(const catalogue& found, const calib::plan& plan, measurement& into,
                       const std::function<bool(const campaign&)>& enough);

// As a rank other than 0 of a job: starts its part of each launch, and reports nothing else.
exit_status take_part(const catalogue& found, const calib::plan& plan);

// Reports why the figures are not good, and returns the status with which the command ends.
exit_status report_fitness(const fitness& of);

}  // namespace calib
