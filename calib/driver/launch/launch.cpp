#include <calib/driver/launch/launch.hpp>

#include <calib/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace calib {
namespace {

void parse_values(launch& into, const std::string& method_name, std::istringstream& rest) {
  std::string probe, variant;
  rest >> probe >> variant;
  if (!method_name.empty()) variant = method_name + ',' + variant;
  std::vector<double> samples;
  for (double sample = 0; rest >> sample;) samples.push_back(sample);
  if (samples.empty() || !rest.eof())
    into.fault = "cannot read its values of " + probe;
  else
    into.measured.push_back(series_of(std::move(probe), std::move(variant), std::move(samples)));
}

// What follows the values of the same series: at each end of a sample `count` times. Empty: it
// cannot be read.
std::vector<double> parse_times(launch& into, std::istringstream& rest, const std::string& verb,
                                std::size_t count) {
  std::string probe, variant;
  rest >> probe >> variant;
  std::vector<double> times;
  for (double time = 0; rest >> time;) times.push_back(time);
  const bool fits = !into.measured.empty() && into.measured.back().probe == probe &&
                    times.size() == count * (into.measured.back().samples.size() + 1);
  if (fits && rest.eof()) return times;
  into.fault = "cannot read its " + verb + " of " + probe;
  return {};
}

void parse_lines(launch& into, std::istringstream& rest) {
  if (auto times = parse_times(into, rest, "lines", 1); !times.empty())
    into.measured.back().lines = std::move(times);
}

void parse_paces(launch& into, std::istringstream& rest) {
  const std::vector<double> times = parse_times(into, rest, "paces", 2);
  if (times.empty()) return;
  auto& paces = into.measured.back().paces;
  paces.clear();
  for (std::size_t i = 0; i < times.size(); i += 2) paces.push_back({times[i], times[i + 1]});
}

std::string rest_of_line(std::istringstream& rest) {
  std::string text;
  std::getline(rest >> std::ws, text);
  return text;
}

}  // namespace

series series_of(std::string probe, std::string variant, std::vector<double> samples) {
  series out{std::move(probe), std::move(variant), std::move(samples)};
  out.warm_up = warm_up(out.samples);
  out.median = median(out.warm());
  return out;
}

bool launch::has_lines() const {
  return std::ranges::any_of(measured, [](const series& s) { return !s.lines.empty(); });
}

bool parse_line(launch& into, const std::string& method_name, const std::string& line) {
  std::istringstream rest(line);
  std::string verb;
  rest >> verb;
  if (verb == "values") {
    parse_values(into, method_name, rest);
  } else if (verb == "lines") {
    parse_lines(into, rest);
  } else if (verb == "paces") {
    parse_paces(into, rest);
  } else if (verb == "note") {
    std::string key;
    rest >> key;
    into.notes[key] = rest_of_line(rest);
  } else if (verb == "cpu") {
    int rank = 0;
    int cpu = 0;
    if (rest >> rank >> cpu) into.cpus[rank] = cpu;
  } else if (verb == "fault") {
    into.fault = rest_of_line(rest);
  }
  return verb == "done";
}

}  // namespace calib
