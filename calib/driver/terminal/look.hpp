// How charts may be drawn in a terminal: with which characters, and whether in colours.
#pragma once

#include <string>
#include <vector>

namespace calib::terminal {

enum class characters { none, ascii, unicode };

struct look {
  characters with = characters::none;  // none: no charts
  bool colour = false;
  bool brief = false;  // only the charts that show most
};

// The words for `asked` below.
const std::vector<std::string>& names_of_characters();

// `asked` is one of them, or empty: then Unicode for a terminal whose locale is UTF-8, ASCII
// otherwise. Colours: messages.hpp.
look look_for(const std::string& asked, int descriptor);

}  // namespace calib::terminal
