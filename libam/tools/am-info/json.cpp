// For programs: sizes in bytes, times in seconds. The one file of am-info that knows nlohmann-json.
#include <libam/core/counters.hpp>
#include <libam/tools/am-info/report.hpp>

#include <nlohmann/json.hpp>

namespace am::detail::info {
namespace {

using nlohmann::ordered_json;

ordered_json settings_json(const std::vector<base::effective_setting>& settings) {
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
          {"max_medium", use.payloads.max_medium()},
          {"channel_at_first", use.channel_at_first},
          {"channel_at_most", use.channel_at_most},
          {"rank_at_first", use.rank_at_first},
          {"rank_at_most", use.rank_at_most},
          {"job_at_most", use.job_at_most},
          {"address_space", use.address_space}};
}

ordered_json joining_json(const join_report& how) {
  ordered_json whole = ordered_json::object();
  for (const consulted_variable& one : how.environment) {
    ordered_json& value = whole["environment"][one.name];
    if (one.value) value = *one.value;
  }
  whole["tried"] = ordered_json::array();
  for (const seam::attempt& one : how.tried)
    whole["tried"].push_back(
        {{"way", one.name}, {"outcome", one.outcome.empty() ? "joined" : one.outcome}});
  whole["joined"] = how.failure.empty();
  if (how.failure.empty()) whole.update({{"rank", how.rank}, {"ranks", how.ranks}});
  if (!how.launcher.empty()) whole["launcher"] = how.launcher;
  whole["on_death"] = how.on_death;
  return whole;
}

ordered_json pair_json(std::size_t from, std::size_t to, const contact& how) {
  ordered_json row = {{"from", from}, {"to", to}, {"transport", nullptr}};
  if (!how.transport.empty()) row["transport"] = how.transport;
  if (!how.about.empty()) row["about"] = how.about;
  row["tried"] = ordered_json::array();
  for (const seam::attempt& one : how.tried)
    row["tried"].push_back({{"transport", one.name}, {"outcome", one.outcome}});
  return row;
}

ordered_json survey_json(const survey& all) {
  ordered_json ranks = ordered_json::array();
  ordered_json pairs = ordered_json::array();
  for (std::size_t rank = 0; rank < all.ranks.size(); ++rank) {
    ordered_json has = ordered_json::array();
    for (const seam::attempt& one : all.ranks[rank].transports) {
      has.push_back({{"transport", one.name}, {"usable", one.outcome.empty()}});
      if (!one.outcome.empty()) has.back()["outcome"] = one.outcome;
    }
    ranks.push_back({{"rank", rank}, {"transports", std::move(has)}});
    const std::vector<contact>& contacts = all.ranks[rank].contacts;
    for (std::size_t to = 0; to < contacts.size(); ++to)
      pairs.push_back(pair_json(rank, to, contacts[to]));
  }
  return {{"all_reached", all_reached(all)}, {"ranks", ranks}, {"pairs", pairs}};
}

ordered_json peer_json(const live_peer& peer) {
  ordered_json row = {{"rank", peer.rank},
                      {"transport", peer.transport},
                      {"unanswered", peer.unanswered},
                      {"credits", peer.credits}};
  if (peer.oldest) {
    row["oldest"] = {
        {"handler", peer.oldest->handler}, {"words", peer.oldest->words}, {"begun", nullptr}};
    if (peer.oldest->begun) row["oldest"]["begun"] = *peer.oldest->begun;
  }
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

ordered_json broadcast_json(const broadcast_choice& one) {
  ordered_json row = {{"bytes", one.bytes},
                      {"flat_ranks", one.flat_ranks},
                      {"default_flat_ranks", one.default_flat_ranks},
                      {"send_ns", nullptr},
                      {"arrive_ns", nullptr}};
  if (one.by) row.update({{"send_ns", one.by->send}, {"arrive_ns", one.by->arrive}});
  return row;
}

ordered_json barrier_json(const barrier_choice& one) {
  ordered_json row = {{"direct_ranks", one.direct_ranks},
                      {"default_direct_ranks", one.default_direct_ranks},
                      {"message_ns", nullptr},
                      {"arrive_ns", nullptr}};
  if (one.by) row.update({{"message_ns", one.by->send}, {"arrive_ns", one.by->arrive}});
  return row;
}

ordered_json spin_json(const spin_choice& one) {
  ordered_json row = {{"us", one.us}, {"default_us", one.default_us}, {"wake_up_ns", nullptr}};
  if (one.wake_up_ns) row["wake_up_ns"] = *one.wake_up_ns;
  return row;
}

ordered_json profile_json(const profile_report& report) {
  ordered_json whole = {{"setting", report.setting}, {"file", nullptr}};
  if (!report.file.empty()) whole["file"] = report.file;
  whole["transports"] = ordered_json::array();
  for (const profile_of_transport& one : report.transports) {
    ordered_json row = {{"transport", one.transport}, {"fits", one.why_not.empty()}};
    if (!one.why_not.empty()) row["why_not"] = one.why_not;
    row["broadcast"] = ordered_json::array();
    for (const broadcast_choice& each : one.broadcasts)
      row["broadcast"].push_back(broadcast_json(each));
    if (one.barrier) row["barrier"] = barrier_json(*one.barrier);
    if (one.spin) row["spin"] = spin_json(*one.spin);
    whole["transports"].push_back(std::move(row));
  }
  whole["fixed"] = ordered_json::array();
  for (const fixed_choice& one : report.fixed)
    whole["fixed"].push_back({{"what", one.what}, {"how", one.how}, {"why", one.why}});
  return whole;
}

}  // namespace

std::string as_json(const findings& found) {
  ordered_json whole = {{"schema", "am-info/1"}};
  if (found.settings) whole["settings"] = settings_json(*found.settings);
  if (found.memory) whole["memory"] = memory_json(*found.memory);
  if (found.bootstrap) whole["bootstrap"] = joining_json(*found.bootstrap);
  if (found.transports) whole["transports"] = survey_json(*found.transports);
  if (found.profile) whole["profile"] = profile_json(*found.profile);
  if (found.process) {
    whole["process"] = ordered_json::array();
    for (const live_rank& rank : *found.process) whole["process"].push_back(live_json(rank));
  }
  // A value from the environment may be any bytes.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace am::detail::info
