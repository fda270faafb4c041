// For people: tables, sizes in KiB and MiB, and the formula itself.
#include <libam/base/format.hpp>
#include <libam/tools/am-info/report.hpp>
#include <transports/shm/layout.hpp>

#include <algorithm>

namespace am::detail::info {
namespace {

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kib = 1024;
  constexpr std::size_t mib = kib * kib;
  constexpr std::size_t gib = kib * mib;
  const auto in = [bytes](std::size_t unit) {
    return static_cast<double>(bytes) / static_cast<double>(unit);
  };
  if (bytes >= 10 * gib) return base::format("{:.1f} GiB", in(gib));
  if (bytes >= 10 * mib) return base::format("{:.1f} MiB", in(mib));
  return base::format("{:.0f} KiB", in(kib));
}

void add_settings(std::string& out, const std::vector<base::effective_setting>& settings) {
  std::size_t widest = std::string_view("value").size();
  for (const base::effective_setting& each : settings) widest = std::max(widest, each.value.size());
  base::append(out, "{:<18} {:<{}} {:<12} {}\n", "setting", "value", widest, "from", "range");
  const auto table = base::settings_table();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const base::effective_setting& each = settings[i];
    const char* from = each.from_environment ? "environment" : "default";
    base::append(out, "{:<18} {:<{}} {:<12} {}{}\n", each.name, each.value, widest, from,
                 table[i].range, table[i].built ? "" : " (not built yet)");
  }
}

void add_memory(std::string& out, const memory_use& use) {
  const auto row = [&](std::string_view what, std::size_t bytes) {
    base::append(out, "  {:<52} {:>10}\n", what, size_text(bytes));
  };
  base::append(
      out,
      "shared memory of {} ranks on one host, rings of at most {} slots, payloads of {} bytes\n",
      use.ranks, use.slots, use.payloads.max_medium());
  row("a rank and one peer it sends to, at first", use.channel_at_first);
  row("the same, grown and with payload, at most", use.channel_at_most);
  row("a rank that sends to all others, at first", use.rank_at_first);
  row("the same, at most", use.rank_at_most);
  row("the job, at most", use.job_at_most);
  row("addresses set aside in each rank (no memory)", use.address_space);
  base::append(
      out,
      "formula: N ranks, S = AM_SHM_SLOTS, P = the larger of {} and 4 * AM_MAX_MEDIUM; whole "
      "pages of {}; in bytes\n"
      "  a rank at most = {} + (N - 1) * ({} + 2 * S * {} + 6 * P), and its segments\n",
      wire::least_room_bytes, shm::page,
      shm::page + shm::layout(use.ranks, use.slots).directory_bytes(), shm::page,
      sizeof(shm::slot));
}

}  // namespace

std::string as_text(const findings& found) {
  std::string out;
  if (found.settings) add_settings(out, *found.settings);
  if (found.memory) add_memory(out, *found.memory);
  if (found.bootstrap) out += joining_text(*found.bootstrap);
  if (found.transports) out += survey_text(*found.transports);
  if (found.profile) out += profile_text(*found.profile);
  if (found.process)
    for (const live_rank& rank : *found.process) out += live_text(rank);
  return out;
}

}  // namespace am::detail::info
