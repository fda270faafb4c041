#include <calib/driver/output/messages.hpp>

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace calib {

void say(const std::string& line) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, line.c_str());
}

bool may_colour(int descriptor) {
  const char* no = std::getenv("NO_COLOR");
  return ::isatty(descriptor) == 1 && (no == nullptr || *no == '\0');
}

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

bool write_result(const std::optional<std::string>& file, const std::string& document,
                  const std::string& table) {
  if (file && !write_text(document, *file)) return false;
  return (file && *file == "-") || write_text(table, "-");
}

}  // namespace calib
