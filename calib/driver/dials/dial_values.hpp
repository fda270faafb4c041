// The values that a dial of AM_DIAL (docs/dials.md) is turned through, as a command line names
// them: "1us..100us", or "1us,5us,20us".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct dial {
  std::string name;        // as in AM_DIAL
  std::vector<double> ns;  // ascending, above 0; of G, of a byte
};

// o, o_s, o_r, L, g, g_s, g_r, G.
const std::vector<std::string>& dial_names();

// Whether its values are added to what a message costs by itself; otherwise they are the least that
// it will cost.
bool is_added(std::string_view dial_name);

// FROM..TO: the two, and between them 1, 2 and 5 of each power of ten; or a list with commas. Each
// has a unit: ns, us, ms or s. Returns a complaint, "" if there is none.
std::string read_dial_values(std::string_view text, std::vector<double>& ns);
// NAME=FROM..TO or NAME=LIST.
std::string read_dial(std::string_view text, dial& into);

// "10us", "0.5ns": six digits at most.
std::string time_text(double ns);
// For AM_DIAL: "L=+10us", "g=10us".
std::string dial_setting(std::string_view dial_name, double ns);

}  // namespace calib
