// What messages cost over a transport of a machine, in the form in which a program's time depends
// on it.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>

namespace calib::suite {

// Overheads are those of messages in a stream, which programs send most. What a lone message costs
// more is in the latency: a lone round trip takes 2 (o_s + L + o_r).
struct costs {
  double o_s = 0;  // ns
  double o_r = 0;
  double L = 0;
  double g = 0;
  double G = 0;  // ns for each byte of a store

  // What a processor spends on a request in a stream of them, and on the answer to another.
  [[nodiscard]] double pace() const { return o_s + o_r; }
};

// Of libam over this transport. Nothing: `problem` says why.
std::optional<costs> costs_of(const profile& from, const std::string& transport,
                              std::string& problem);

// By how much longer a lone message keeps its sender than one in a stream, ns. 0: not known.
double lone_message_extra(const profile& from, const std::string& transport);

}  // namespace calib::suite
