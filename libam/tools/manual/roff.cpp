#include <libam/tools/manual/roff.hpp>

#include <libam/base/format.hpp>

#include <algorithm>
#include <cctype>

namespace am::detail::manual {
namespace {

// The code point that starts at text[at], in valid UTF-8; moves `at` behind it.
unsigned next_code(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  unsigned code = first & (0x3fU >> more);
  for (unsigned i = 0; i < more; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fU);
  return code;
}

// Keeps hyphens that can be copied to a command line, and quotes from ending a macro's argument.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned code = next_code(text, at);
    switch (code) {
      case '-': out += "\\-"; break;
      case '\\': out += "\\e"; break;
      case '"': out += "\\(dq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      default:
        if (code < 0x80)
          out += static_cast<char>(code);
        else
          out += base::format("\\[u{:04X}]", code);
    }
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

}  // namespace

roff::roff(std::string_view title, int chapter, std::string_view version) {
  out_ = base::format(
      ".\\\" Made by the build from the program's own description.\n"
      ".TH {} {} \"\" \"libam {}\" \"libam\"\n",
      escaped(upper(title)), chapter, version);
}

void roff::heading(std::string_view text) {
  out_ += base::format(".SH {}\n", escaped(upper(text)));
  below_heading_ = true;
}

void roff::subheading(std::string_view text) {
  out_ += base::format(".SS {}\n", escaped(text));
  below_heading_ = true;
}

void roff::paragraph(std::string_view text) {
  if (!below_heading_) out_ += ".PP\n";
  line(text);
}

void roff::entry(std::string_view bold, std::string_view rest, std::string_view meaning) {
  out_ += base::format(".TP\n\\fB{}\\fR{}\n", escaped(bold), escaped(rest));
  line(meaning);
}

void roff::verbatim(std::string_view lines) {
  out_ += ".RS 4\n.nf\n";
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  out_ += ".fi\n.RE\n";
}

// A dot at the beginning of a line would make it a macro.
void roff::line(std::string_view text) {
  if (text.starts_with('.')) out_ += "\\&";
  out_ += escaped(text) + '\n';
  below_heading_ = false;
}

}  // namespace am::detail::manual
