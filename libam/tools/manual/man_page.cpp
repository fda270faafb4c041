// The page of a command: the text of --help, in the order of manual pages.
#include <libam/base/format.hpp>
#include <libam/tools/manual/pages.hpp>
#include <libam/tools/manual/roff.hpp>

#include <am/types.h>

#include <cctype>

namespace am::detail::manual {
namespace {

// "Starts the ranks." becomes "starts the ranks".
std::string as_phrase(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

void add_options(roff& page, const command& about) {
  for (const option& each : about.options)
    page.entry(base::joined(each.names, ", "), each.value.empty() ? "" : " " + each.value,
               each.description + ".");
}

void add_sections(roff& page, const command& about) {
  for (const section& each : about.sections) {
    page.heading(each.title);
    for (const footer_line& line : each.lines) {
      if (line.right.empty())
        page.paragraph(line.left);
      else
        page.entry(line.left, "", line.right);
    }
  }
}

}  // namespace

std::string man_page(const command& about) {
  roff page(about.name, 1, AM_VERSION_STRING);
  page.heading("Name");
  page.paragraph(base::format("{} - {}", about.name, as_phrase(about.purpose)));
  page.heading("Synopsis");
  page.paragraph(about.usage);
  for (const command& each : about.subcommands)
    if (each.built) page.paragraph(each.usage);
  page.heading("Description");
  page.paragraph(about.purpose);
  for (const std::string& text : about.paragraphs) page.paragraph(text);
  page.heading("Options");
  add_options(page, about);
  for (const command& each : about.subcommands) {
    page.subheading(base::format("{} {}", about.name, each.name));
    page.paragraph(each.purpose + ".");
    if (each.built) add_options(page, each);
  }
  add_sections(page, about);
  page.heading("Environment");
  page.entry("AM_*", "", "The settings of libam: libam(7) lists them.");
  page.entry("NO_COLOR", "", "If set, no colour on a terminal.");
  page.heading("See also");
  std::string others;
  for (const char* other : {"am-run", "am-info", "am-calibrate"})
    if (about.name != other) others += base::format("{}(1), ", other);
  page.paragraph(others + "libam(7)");
  return page.text();
}

}  // namespace am::detail::manual
