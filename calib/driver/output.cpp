#include <calib/driver/child.hpp>
#include <calib/driver/output.hpp>

#include <cstdio>
#include <fstream>

namespace calib {

void say(const std::string& line) { std::fprintf(stderr, "am-calibrate: %s\n", line.c_str()); }

bool can_write(const std::string& where) {
  if (where == "-") return true;
  const bool good = static_cast<bool>(std::ofstream(where, std::ios::app));
  if (!good) say("cannot write " + where);
  return good;
}

bool write_text(const std::string& text, const std::string& where) {
  if (where == "-") {
    const bool good = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!good) say("cannot write standard output");
    return good;
  }
  std::ofstream file(where);
  file << text << std::flush;
  if (!file) say("cannot write " + where);
  return static_cast<bool>(file);
}

exit_status verdict(const judgement& of) {
  for (const std::string& line : of.failed) say("failed: " + line);
  for (const std::string& line : of.unfit) say("unfit: " + line);
  if (stop_asked()) {
    say("stopped; what had been measured until then was written");
    return stopped;
  }
  if (!of.failed.empty()) return failed;
  return of.unfit.empty() ? good : unfit;
}

}  // namespace calib
