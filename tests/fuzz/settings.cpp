// The settings: any value of any variable, and unknown names.
#include "base_stubs.hpp"
#include "target.hpp"

#include <libam/base/error.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace base = am::detail::base;

namespace {

// The environment holds what a shell could put there.
std::string without_nulls(std::string_view text) {
  std::string out(text);
  std::erase(out, '\0');
  return out;
}

void clear(const std::string& name) { ::unsetenv(name.c_str()); }

}  // namespace

// The first byte selects a setting; the rest is its value. An accepted value is in the table's
// range; a refused one leaves an error text with the name and the range.
AM_FUZZ_TARGET(settings) {
  am_test::fuzz::input_reader in(input);
  const auto table = base::settings_table();
  const base::setting& row = table[in.byte() % table.size()];
  const std::string value = without_nulls(in.text(4096));
  const std::string name(row.name);
  ::setenv(name.c_str(), value.c_str(), 1);
  base::settings read;
  const am_status status = base::read_settings(read);
  AM_PROMISE(status == AM_OK || status == AM_ARGUMENT_SETTING);
  if (status != AM_OK) {
    const std::string_view line = base::error_text();
    AM_PROMISE(line.starts_with(name));
    // A value may fill the text.
    AM_PROMISE(line.size() > 400 ||
               line.find(row.built ? row.range : "does not have") != line.npos);
  }
  AM_PROMISE(read.credits >= 1 && read.credits <= 4096);
  AM_PROMISE(read.shm_slots >= 2 && read.shm_slots <= 4096);
  AM_PROMISE((read.shm_slots & (read.shm_slots - 1)) == 0);
  AM_PROMISE(read.max_medium >= AM_MIN_MAX_MEDIUM && read.max_medium <= 65536);
  AM_PROMISE(read.max_medium % 16 == 0);
  (void)am::detail::core::check_names(read.transport, {});
  (void)am::detail::core::is_allowed(read.transport, "shm");
  clear(name);
}

// A name behind AM_: known, or reported with the nearest name or a pointer to the list.
AM_FUZZ_TARGET(setting_names) {
  am_test::fuzz::input_reader in(input);
  std::string name = "AM_" + without_nulls(in.text(2000));
  std::erase(name, '=');
  ::setenv(name.c_str(), "1", 1);
  for (const std::string& line : base::unknown_settings()) {
    if (!line.starts_with(name + ":")) continue;
    const auto names_it = [&](const base::setting& row) { return line.ends_with(row.name); };
    AM_PROMISE(line.ends_with("am-info -c lists all") ||
               std::ranges::any_of(base::settings_table(), names_it));
  }
  clear(name);
}
