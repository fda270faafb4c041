// For programs: sizes in bytes, times in seconds. The one file of am-info that knows nlohmann-json.
#include <libam/core/counters.hpp>
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

ordered_json peer_json(const live_peer& peer) {
  ordered_json row = {{"rank", peer.rank},
                      {"transport", peer.transport},
                      {"unanswered", peer.unanswered},
                      {"credits", peer.credits}};
  if (peer.oldest)
    row["oldest"] = {{"handler", peer.oldest->handler},
                     {"words", peer.oldest->words},
                     {"begun", peer.oldest->begun}};
  for (const core::counter& one : core::counters) row[one.name] = peer.traffic.*one.value;
  return row;
}

ordered_json live_json(const live_rank& rank) {
  ordered_json row = {
      {"pid", rank.pid}, {"process", rank.process}, {"rank", rank.rank}, {"ranks", rank.ranks}};
  if (!rank.call.empty()) row["waits"] = {{"call", rank.call}, {"seconds", rank.waited}};
  if (rank.waits_for) row["waits"]["peer"] = *rank.waits_for;
  if (!rank.handler.empty()) row["runs"] = {{"handler", rank.handler}, {"source", rank.source}};
  row["polls"] = rank.polls;
  row["empty_polls"] = rank.empty_polls;
  row["polls_in_next_tenth"] = rank.new_polls;
  row["peers"] = ordered_json::array();
  for (const live_peer& peer : rank.peers) row["peers"].push_back(peer_json(peer));
  row["handlers"] = ordered_json::array();
  for (const auto& [name, runs] : rank.handlers)
    row["handlers"].push_back({{"name", name}, {"runs", runs}});
  return row;
}

}  // namespace

std::string as_json(const findings& found) {
  ordered_json whole = ordered_json::object();
  if (found.settings) whole["settings"] = settings_json(*found.settings);
  if (found.memory) whole["memory"] = memory_json(*found.memory);
  if (found.process) {
    whole["process"] = ordered_json::array();
    for (const live_rank& rank : *found.process) whole["process"].push_back(live_json(rank));
  }
  // A value from the environment may be any bytes.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace am::detail::info
