#include <calib/driver/launch.hpp>

#include <calib/statistics.hpp>

#include <cmath>
#include <sstream>

namespace calib {
namespace {

void take_values(launch& into, const std::string& way_name, std::istringstream& rest) {
  series s;
  rest >> s.probe >> s.variant;
  if (!way_name.empty()) s.variant = way_name + ',' + s.variant;
  for (double sample = 0; rest >> sample;) s.samples.push_back(sample);
  if (s.samples.empty() || !rest.eof()) {
    into.fault = "cannot read its values of " + s.probe;
    return;
  }
  s.warm_up = warm_up(s.samples);
  s.median = median({s.samples.begin() + static_cast<std::ptrdiff_t>(s.warm_up), s.samples.end()});
  into.measured.push_back(std::move(s));
}

std::string rest_of(std::istringstream& rest) {
  std::string text;
  std::getline(rest >> std::ws, text);
  return text;
}

}  // namespace

bool take_line(launch& into, const std::string& way_name, const std::string& line) {
  std::istringstream rest(line);
  std::string verb;
  rest >> verb;
  if (verb == "values") {
    take_values(into, way_name, rest);
  } else if (verb == "note") {
    std::string key;
    rest >> key;
    into.notes[key] = rest_of(rest);
  } else if (verb == "cpu") {
    int rank = 0;
    int cpu = 0;
    if (rest >> rank >> cpu) into.cpus[rank] = cpu;
  } else if (verb == "fault") {
    into.fault = rest_of(rest);
  }
  return verb == "done";
}

}  // namespace calib
