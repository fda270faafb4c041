// The few figures of a measured profile (am-profile/1) that libam uses: what messages cost over one
// transport, nanoseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::profile {

// Of a message with a payload.
struct medium_cost {
  double bytes;
  double o;  // the sender's call
  double g;  // between two of them
  double T;  // until it has arrived
  bool operator==(const medium_cost&) const = default;
};

struct figures {
  double o_s;  // of four words: the sender's call
  double g;    // between two of them
  double rtt;
  std::vector<medium_cost> mediums;  // by bytes
  std::optional<double> wake_up{};   // by which a round trip to a rank that sleeps is longer
  std::optional<double> o_r{};       // the receiver's part
  bool operator==(const figures&) const = default;
};

struct document {
  std::string fingerprint;       // of the machine
  bool complete = false;         // it was measured to the end, on a machine that was fit
  std::optional<figures> costs;  // nothing: the profile does not have this transport
  bool operator==(const document&) const = default;
};

// Reads the profile's text as far as `transport` needs it: up to the end of `runtime`, which has
// the figures again, or all of a profile without that. What is not used may be anything that is
// JSON. Not empty: why it is none, in one line, and `out` is not to be used.
std::string read_document(std::string_view text, std::string_view transport, document& out);

}  // namespace am::detail::profile
