#include <libam/core/statistics.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/counters.hpp>

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

// A handler's name is an identifier, or any text of the program's.
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

// Handlers may call these, too.
am_status statistics::check_caller(const char* call) const {
  return dispatcher_.is_owner_thread() ? AM_OK : dispatcher_.refuse(call);
}

am_status statistics::read_totals(am_stats& out) const {
  if (const am_status status = check_caller("stats"); status != AM_OK) return status;
  out = totals();
  return AM_OK;
}

am_status statistics::read_peer(am_rank rank, am_traffic& out) const {
  if (const am_status status = check_caller("stats_with"); status != AM_OK) return status;
  if (!peers_.has(rank))
    return base::fail(AM_ARGUMENT_RANK, "stats_with rank {}: this job has ranks 0 to {}", rank,
                      peers_.ranks() - 1);
  out = traffic_with(rank);
  return AM_OK;
}

am_status statistics::read_handler(const am_handler* handler, std::uint64_t& out) const {
  if (const am_status status = check_caller("stats_of"); status != AM_OK) return status;
  if (!dispatcher_.is_numbered(handler)) return refuse_handler("stats_of", handler);
  out = dispatcher_.handler(handler->id).runs;
  return AM_OK;
}

am_traffic statistics::traffic_with(am_rank rank) const noexcept {
  am_traffic all = peers_.traffic_to(rank);
  set_received(all, dispatcher_.received_from(rank));
  return all;
}

am_stats statistics::totals() const noexcept {
  const std::uint64_t polls = clock_.polls();
  am_stats sum{polls, polls - progress_.full_polls(), {}};
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    const am_traffic one = traffic_with(rank);
    for (const counter& c : counters) sum.all.*c.value += one.*c.value;
  }
  return sum;
}

// One line of JSON, without the peers and handlers whose counters are 0.
void statistics::write() noexcept try {
  if (!file_.is_open()) return;
  const am_stats sum = totals();
  std::string line = base::format(
      R"({{"schema":"am-stats/1","version":"{}","rank":{},"ranks":{},"polls":{},"empty_polls":{},"refused":{},"all":{{)",
      AM_VERSION_STRING, peers_.rank(), peers_.ranks(), sum.polls, sum.empty_polls,
      dispatcher_.refused_connections);
  append(line, sum.all);
  line += R"(},"peers":[)";
  const char* before = "";
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    const am_traffic one = traffic_with(rank);
    if (!any(one)) continue;
    base::append(line, R"({}{{"rank":{},)", before, rank);
    append(line, one);
    line += '}';
    before = ",";
  }
  line += R"(],"handlers":[)";
  before = "";
  for (const dispatcher::entry& handler : dispatcher_.handlers()) {
    if (handler.runs == 0) continue;
    (line += before) += R"({"name":)";
    append_quoted(line, handler.label);
    base::append(line, R"(,"runs":{}}})", handler.runs);
    before = ",";
  }
  line += "]}\n";
  file_.add(line);
} catch (const std::bad_alloc&) {
  base::log(base::log_level::warn, "AM_STATS: out of memory, the counters are lost");
}

}  // namespace am::detail::core
