// Reads the table against the environment.
#include <libam/base/settings.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

namespace am::detail::base {
namespace {

// An empty variable counts as unset.
std::optional<std::string_view> from_environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// The number of letters to insert, remove or replace to turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The setting that may be meant by `name`; empty if it is similar to none.
std::string_view nearest_name(std::string_view name) {
  const auto table = settings_table();
  const auto nearest =
      std::min_element(table.begin(), table.end(), [&](const setting& a, const setting& b) {
        return edit_distance(name, a.name) < edit_distance(name, b.name);
      });
  constexpr std::size_t letters_for_a_slip = 3;
  const std::size_t most_slips = std::max<std::size_t>(2, name.size() / letters_for_a_slip);
  return edit_distance(name, nearest->name) <= most_slips ? nearest->name : std::string_view{};
}

bool is_known(std::string_view name) {
  if (name.starts_with("AM_JOB_")) return true;  // am-run's own
  const auto table = settings_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const setting& row) { return row.name == name; });
}

}  // namespace

am_status read_settings(settings& out) {
  settings read;
  for (const setting& row : settings_table()) {
    const auto value = from_environment(row.name);
    if (!value) continue;
    if (!row.built)
      return fail(AM_ARGUMENT_SETTING,
                  "{}: this version of libam does not have this setting yet: unset it", row.name);
    if (!row.read(*value, read))
      return fail(AM_ARGUMENT_SETTING, "{}={}: must be {}", row.name, abbreviate(*value),
                  row.range);
  }
  out = std::move(read);
  return AM_OK;
}

std::vector<std::string> unknown_settings() {
  std::vector<std::string> lines;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("AM_") || is_known(name)) continue;
    const std::string_view meant = nearest_name(name);
    lines.push_back(
        meant.empty()
            ? base::format("{}: there is no such setting; am-info -c lists all", abbreviate(name))
            : base::format("{}: there is no such setting; the nearest is {}", name, meant));
  }
  return lines;
}

am_status load_settings(settings& out) {
  if (const am_status status = read_settings(out); status != AM_OK) return status;
  for (const char* one_rank : {"AM_JOB_RANK", "PMIX_RANK"}) {
    const auto rank = from_environment(one_rank);
    if (rank && *rank != "0") return AM_OK;
  }
  if (out.log < log_level::warn) return AM_OK;
  static std::atomic_flag warned;  // a process may join again
  if (warned.test_and_set()) return AM_OK;
  for (const std::string& line : unknown_settings()) log_line(log_level::warn, line);
  return AM_OK;
}

std::vector<effective_setting> effective_settings() {
  std::vector<effective_setting> all;
  for (const setting& row : settings_table()) {
    const auto value = from_environment(row.name);
    all.push_back({row.name, std::string(value.value_or(row.fallback)), value.has_value()});
  }
  return all;
}

}  // namespace am::detail::base
