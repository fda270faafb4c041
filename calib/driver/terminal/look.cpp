#include <calib/driver/terminal/look.hpp>

#include <calib/driver/output/messages.hpp>

#include <langinfo.h>
#include <locale.h>
#include <unistd.h>

#include <string_view>

namespace calib::terminal {
namespace {

// Asks the locale of the environment, and leaves that of the process.
bool is_utf8() {
  const locale_t of = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (of == nullptr) return false;
  const bool out = std::string_view(::nl_langinfo_l(CODESET, of)) == "UTF-8";
  ::freelocale(of);
  return out;
}

characters characters_for(const std::string& asked, int descriptor) {
  if (asked == "none") return characters::none;
  if (asked == "unicode") return characters::unicode;
  if (asked == "ascii") return characters::ascii;
  return ::isatty(descriptor) == 1 && is_utf8() ? characters::unicode : characters::ascii;
}

}  // namespace

const std::vector<std::string>& names_of_characters() {
  static const std::vector<std::string> out = {"unicode", "ascii", "none"};
  return out;
}

look look_for(const std::string& asked, int descriptor) {
  return {characters_for(asked, descriptor), may_colour(descriptor), false};
}

}  // namespace calib::terminal
