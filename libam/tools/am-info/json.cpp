// For programs: sizes in bytes. The one file of am-info that knows nlohmann-json.
#include <libam/tools/am-info/report.hpp>

#include <nlohmann/json.hpp>

namespace am::detail::info {
namespace {

using nlohmann::ordered_json;

ordered_json settings_json(const std::vector<base::origin>& settings) {
  ordered_json rows = ordered_json::array();
  const auto table = base::settings_table();
  for (std::size_t i = 0; i < settings.size(); ++i)
    rows.push_back({{"name", settings[i].name},
                    {"value", settings[i].value},
                    {"from", settings[i].from_environment ? "environment" : "default"},
                    {"default", table[i].fallback},
                    {"range", table[i].range},
                    {"help", table[i].help},
                    {"built", table[i].built}});
  return rows;
}

ordered_json memory_json(const memory_use& use) {
  return {{"ranks", use.ranks},
          {"slots", use.slots},
          {"channel_at_first", use.channel_at_first},
          {"channel_at_most", use.channel_at_most},
          {"rank_at_first", use.rank_at_first},
          {"rank_at_most", use.rank_at_most},
          {"job_at_most", use.job_at_most},
          {"address_space", use.address_space}};
}

}  // namespace

std::string as_json(const findings& found) {
  ordered_json whole = ordered_json::object();
  if (found.settings) whole["settings"] = settings_json(*found.settings);
  if (found.memory) whole["memory"] = memory_json(*found.memory);
  // A value from the environment may be any bytes.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace am::detail::info
