// Samples of one probe, and their report.
#pragma once

#include <calib/program/line_meter.hpp>
#include <calib/program/options.hpp>
#include <calib/program/report.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace calib {

struct sample_plan {
  unsigned samples = 15;
  double sample_ns = 2e6;  // the length of a sample, about
  // The messages in a stream whose sends are timed: enough for whole frames of a layer that packs.
  std::uint64_t burst = 2048;

  // For the points of a curve: fewer samples, because the many points support each other, and each
  // launch has them.
  [[nodiscard]] sample_plan for_points() const {
    return {std::max(1U, samples / 5), sample_ns / 4, burst};
  }
  // For floods that take long, of which a launch has few.
  [[nodiscard]] sample_plan for_floods() const {
    return {std::max(3U, samples / 2), sample_ns / 4, burst};
  }

  // How many repetitions of `ns` make a sample, from 1 to `most`. `ns` may be a difference, which
  // noise makes 0 or negative.
  [[nodiscard]] std::uint64_t count_for(double ns, std::uint64_t most) const {
    const double count = sample_ns / std::max(ns, 0.01);
    return static_cast<std::uint64_t>(std::clamp(count, 1.0, static_cast<double>(most)));
  }
};

inline sample_plan plan_of(const options& opts) {
  return {opts.samples, opts.sample_us * 1e3, opts.burst};
}

// Writes the lines of a layer program (report.hpp). In tests a recorder takes its place.
struct reporter {
  static void begin(const std::string& name) { report::begin(name, "default"); }
  static void values(const std::string& name, const std::vector<double>& found) {
    report::values(name, "default", found);
  }
  static cpu_state take_state() { return line_meter::take().value_or(cpu_state{}); }
  // Nothing before a line is known. One that did not come behind it is told as 0: its sample is of
  // no condition.
  static void states(const std::string& name, const std::vector<cpu_state>& found) {
    static bool is_known = false;
    is_known =
        is_known || std::ranges::any_of(found, [](const cpu_state& s) { return s.line > 0; });
    if (!is_known) return;
    std::vector<double> lines, paces;
    for (const cpu_state& one : found) {
      lines.push_back(one.line);
      paces.insert(paces.end(), one.paces.begin(), one.paces.end());
    }
    report::lines(name, "default", lines);
    report::paces(name, "default", paces);
  }
  static void note(const std::string& key, const std::string& text) { report::note(key, text); }
  static void report_loss(const std::string& name) {
    report::fault("a message was lost or changed in " + name);
  }
};

// The same for one of several pairs, with its name as a prefix.
class pair_reporter {
 public:
  explicit pair_reporter(const std::string& name) : front_("pair/" + name + '/') {}
  void begin(const std::string& name) const { reporter::begin(front_ + name); }
  void values(const std::string& name, const std::vector<double>& found) const {
    reporter::values(front_ + name, found);
  }
  static cpu_state take_state() { return {}; }  // the launcher pins these
  static void states(const std::string&, const std::vector<cpu_state>&) {}
  void note(const std::string& key, const std::string& text) const {
    reporter::note(front_ + key, text);
  }
  void report_loss(const std::string& name) const { reporter::report_loss(front_ + name); }

 private:
  std::string front_;
};

template <class Take>
double mean_of(std::uint64_t count, Take&& take) {
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += take();
  return sum / static_cast<double>(count);
}

// Takes a time until two in turn were no shorter than 0.97 of the shortest, at most 16 times.
// Caches take several passes over memory until they keep what they can of it.
template <class Take>
void repeat_until_steady(Take&& take) {
  constexpr int most = 16;
  double shortest = take();
  int steady = 0;
  for (int i = 1; i < most && steady < 2; ++i) {
    const double now = take();
    steady = now < 0.97 * shortest ? 0 : steady + 1;
    shortest = std::min(shortest, now);
  }
}

// What the two CPUs were like before each sample of a series and after the last one.
template <class Sink>
class cpu_states {
 public:
  explicit cpu_states(Sink& sink) : sink_(sink) { take(); }
  void take() { found_.push_back(sink_.take_state()); }
  void report(const std::string& name) const { sink_.states(name, found_); }

 private:
  Sink& sink_;
  std::vector<cpu_state> found_;
};

// Returns the median, by which later probes are dimensioned.
template <class Sink, class Take>
double take_samples(Sink& sink, unsigned samples, const std::string& name, Take&& take) {
  std::vector<double> found(samples);
  sink.begin(name);
  cpu_states states(sink);
  for (double& sample : found) {
    sample = take();
    states.take();
  }
  sink.values(name, found);
  states.report(name);
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle);
  return *middle;
}

}  // namespace calib
