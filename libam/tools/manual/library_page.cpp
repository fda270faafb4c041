// libam(7): what the library is, and its settings.
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/tools/manual/pages.hpp>
#include <libam/tools/manual/roff.hpp>

#include <am/types.h>

namespace am::detail::manual {
namespace {

void add_settings(roff& page) {
  page.heading("Environment");
  page.paragraph(
      "Settings are read when a program joins its job. A value out of range is refused with one "
      "line, as is a setting whose feature is not built yet; an AM_* that is no setting is a "
      "warning "
      "with the nearest name. am-info -c lists the values in force. AM_JOB_* are am-run's "
      "own.");
  for (const base::setting& row : base::settings_table()) {
    const std::string fallback =
        row.fallback.empty() ? "" : base::format(" Default: {}.", row.fallback);
    page.entry(row.name, base::format(" ({})", row.range),
               base::format("{}{}{}", row.help, fallback, row.built ? "" : " Not built yet."));
  }
}

}  // namespace

std::string library_page() {
  roff page("libam", 7, AM_VERSION_STRING);
  page.heading("Name");
  page.paragraph("libam - Active Messages between processes");
  page.heading("Synopsis");
  page.verbatim(
      "#include <am/am.hpp>    C++20\n"
      "#include <am/am.h>      C11\n"
      "#include <am/team.hpp>  teams and collectives; for C, <am/team.h>\n"
      "#include <am/splitc.hpp>  Split-C, for C++20\n"
      "c++ -std=c++20 sum.cpp $(pkg-config --cflags --libs am)\n"
      "am-run -n 4 ./a.out");
  page.heading("Description");
  page.paragraph(
      "A message names the function that handles it. A request runs its handler at another rank; "
      "the "
      "handler may answer once, with a reply whose handler runs at the requester. Nothing runs at "
      "a "
      "rank that does not call libam. Larger data is stored into and got from the memory of other "
      "ranks.");
  page.paragraph(
      "A program that is started with am-run(1) is one rank of a job; started alone it is a job of "
      "one. The headers say of each call what it does, may block on and returns.");
  add_settings(page);
  page.heading("Diagnostics");
  page.paragraph(
      "Every call that can fail returns a status or throws am::error, and one line says what was "
      "wrong and what to do: am_error_text(), what(). libam writes to standard error alone, lines "
      "of "
      "the form am[RANK]: level: text, as AM_LOG allows.");
  page.heading("See also");
  page.paragraph("am-run(1), am-info(1), am-calibrate(1)");
  return page.text();
}

}  // namespace am::detail::manual
