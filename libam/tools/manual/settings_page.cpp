// docs/settings.md.
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/tools/manual/pages.hpp>

#include <iterator>

namespace am::detail::manual {
namespace {

constexpr char head[] = R"(# Settings

A program reads these environment variables when it joins its job; the tools read them, too. An
impossible value is refused with one line; an unknown `AM_*` causes a warning with the nearest name.
`am-info -c` prints every value and its source. `AM_JOB_*` belong to am-run.

This page is made from `libam/base/settings_table.cpp`: `ninja -C build/release settings-page`.
)";

// A | would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void add_table(std::string& out, bool built) {
  out += "\n| setting | default | values | meaning |\n|---|---|---|---|\n";
  for (const base::setting& row : base::settings_table()) {
    if (row.built != built) continue;
    const std::string fallback = row.fallback.empty() ? "" : base::format("`{}`", row.fallback);
    base::append(out, "| `{}` | {} | {} | {} |\n", row.name, fallback, cell(row.range),
                 cell(row.help));
  }
}

}  // namespace

std::string settings_page() {
  std::string out = head;
  add_table(out, true);
  out += "\nNot built yet, and refused when set:\n";
  add_table(out, false);
  return out;
}

}  // namespace am::detail::manual
