// Samples of one probe, and how they are told.
#pragma once

#include <calib/program/report.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace calib {

// How much is taken of each point.
struct thoroughness {
  unsigned samples = 15;
  double sample_ns = 2e6;  // about so long may a sample last

  // Of pieces of data: there are many sizes, and each of them tells something of the others.
  [[nodiscard]] thoroughness for_sizes() const {
    return {std::max(3U, samples / 2), sample_ns / 4};
  }

  // So many that a sample lasts as long as it may, but at least 1 and at most `most`. `ns` is of
  // one, and as often as not a difference: noise may have made it nothing or less.
  [[nodiscard]] std::uint64_t count_for(double ns, std::uint64_t most) const {
    const double count = sample_ns / std::max(ns, 0.01);
    return static_cast<std::uint64_t>(std::clamp(count, 1.0, static_cast<double>(most)));
  }
};

// Tells it as layer programs do. In tests somebody else listens.
struct reporter {
  static void begin(const std::string& name) { report::begin(name, "default"); }
  static void values(const std::string& name, const std::vector<double>& found) {
    report::values(name, "default", found);
  }
  static void note(const std::string& key, const std::string& text) { report::note(key, text); }
  static void lost(const std::string& name) {
    report::fault("a message was lost or changed in " + name);
  }
};

// The same of one of several pairs, whose name stands in front of everything.
class pair_reporter {
 public:
  explicit pair_reporter(const std::string& name) : front_("pair/" + name + '/') {}
  void begin(const std::string& name) const { reporter::begin(front_ + name); }
  void values(const std::string& name, const std::vector<double>& found) const {
    reporter::values(front_ + name, found);
  }
  void note(const std::string& key, const std::string& text) const {
    reporter::note(front_ + key, text);
  }
  void lost(const std::string& name) const { reporter::lost(front_ + name); }

 private:
  std::string front_;
};

// The mean of some takes of what is too short or too varied alone.
template <class Take>
double mean_of(std::uint64_t count, Take&& take) {
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += take();
  return sum / static_cast<double>(count);
}

// Their median, as a guide for what comes next.
template <class Sink, class Take>
double take_samples(Sink& sink, unsigned samples, const std::string& name, Take&& take) {
  std::vector<double> found(samples);
  sink.begin(name);
  for (double& sample : found) sample = take();
  sink.values(name, found);
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle);
  return *middle;
}

}  // namespace calib
