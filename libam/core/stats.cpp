// Counters since the join. What a small message costs anyway is not counted a second time: requests
// follow from credits, what came from the serials of tokens; so the hot path counts handlers alone.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/counters.hpp>
#include <libam/core/endpoint.hpp>

#include <algorithm>
#include <iterator>

namespace am::detail::core {

namespace {

bool any(const am_traffic& traffic) noexcept {
  return std::ranges::any_of(counters, [&](const counter& c) { return traffic.*c.value != 0; });
}

void append(std::string& line, const am_traffic& traffic) {
  const char* before = "";
  for (const counter& c : counters) {
    base::append(line, "{}\"{}\":{}", before, c.name, traffic.*c.value);
    before = ",";
  }
}

// Names of handlers are identifiers or what a program has chosen.
void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (line += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      base::append(line, "\\u{:04x}", static_cast<unsigned>(c));
    else
      line += c;
  }
  line += '"';
}

}  // namespace

// Handlers may ask, too, so the gate does not tell.
am_status endpoint::may_ask(const char* call) const {
  return state_ == state::open && owner_ == this_thread() ? AM_OK : refuse(call);
}

am_status endpoint::stats(am_stats& out) const {
  if (const am_status status = may_ask("stats"); status != AM_OK) return status;
  out = totals();
  return AM_OK;
}

am_status endpoint::traffic(am_rank with, am_traffic& out) const {
  if (const am_status status = may_ask("stats_with"); status != AM_OK) return status;
  if (with >= ranks_)
    return base::fail(AM_ARGUMENT_RANK, "stats_with rank {}: this job has ranks 0 to {}", with,
                      ranks_ - 1);
  out = traffic_with(with);
  return AM_OK;
}

am_status endpoint::runs(const am_handler* handler, std::uint64_t& out) const {
  if (const am_status status = may_ask("stats_of"); status != AM_OK) return status;
  if (handler == nullptr || handler->id >= count_)
    return refuse_request("stats_of", rank_, handler);
  out = table_[handler->id].runs;
  return AM_OK;
}

am_traffic endpoint::traffic_with(am_rank rank) const noexcept {
  am_traffic all = traffic_[rank];
  all.requests += ports_[rank]->credits.sent();  // to what a port that is gone had sent
  all.answers = came_[rank].answers;
  all.handled = came_[rank].requests;
  all.handled_bytes = came_[rank].bytes;
  return all;
}

am_stats endpoint::totals() const noexcept {
  am_stats sum{polls_, polls_ - full_polls_, {}};
  for (am_rank rank = 0; rank < ranks_; ++rank) {
    const am_traffic one = traffic_with(rank);
    for (const counter& c : counters) sum.all.*c.value += one.*c.value;
  }
  return sum;
}

// One line of JSON, without the peers and handlers that have nothing to tell.
void endpoint::write_stats() noexcept try {
  if (!stats_file_.is_open()) return;
  const am_stats sum = totals();
  std::string line = base::format(
      R"({{"schema":"am-stats/1","version":"{}","rank":{},"ranks":{},"polls":{},"empty_polls":{},"all":{{)",
      AM_VERSION_STRING, rank_, ranks_, sum.polls, sum.empty_polls);
  append(line, sum.all);
  line += R"(},"peers":[)";
  const char* before = "";
  for (am_rank rank = 0; rank < ranks_; ++rank) {
    const am_traffic one = traffic_with(rank);
    if (!any(one)) continue;
    base::append(line, R"({}{{"rank":{},)", before, rank);
    append(line, one);
    line += '}';
    before = ",";
  }
  line += R"(],"handlers":[)";
  before = "";
  for (const entry& handler : handlers_) {
    if (handler.runs == 0) continue;
    (line += before) += R"({"name":)";
    append_quoted(line, handler.label);
    base::append(line, R"(,"runs":{}}})", handler.runs);
    before = ",";
  }
  line += "]}\n";
  stats_file_.add(line);
} catch (const std::bad_alloc&) {
  base::log(base::log_level::warn, "AM_STATS: out of memory, the counters are lost");
}

}  // namespace am::detail::core
