#include <calib/driver/suite/traffic.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

cell percent(double part, double of) {
  return {of > 0 ? format("{:.1f}", 100 * part / of) : "", "", ""};
}

}  // namespace

grid traffic_grid(const std::vector<row>& times, const std::vector<traffic_row>& traffic,
                  unsigned ranks, bool colour) {
  grid out(colour);
  out.add("",
          {title("time"), title("messages"), title("messages"), title("barriers"), title("bulk"),
           title("reads")},
          true);
  out.add("", {title("ms"), title("a rank"), title("a ms"), title("ms between"), title("%"),
               title("%")});
  for (const traffic_row& sent : traffic) {
    if (!sent.entry.is_libam() || sent.entry.ranks != ranks) continue;
    const auto time = std::ranges::find_if(
        times, [&](const row& one) { return one.entry == sent.entry && one.phase == "total"; });
    if (time == times.end()) continue;
    const double ms = time->ns.median / 1e6;
    out.add(line_name(sent.entry), {cell_of(divided(time->ns, 1e6)),
                                    {format("{:.0f}", sent.messages), "", ""},
                                    {number(sent.messages / ms), "", ""},
                                    {sent.barriers > 0 ? number(ms / sent.barriers) : "", "", ""},
                                    percent(sent.bulk_messages, sent.messages),
                                    percent(sent.reads, sent.messages)});
  }
  return out;
}

}  // namespace calib::suite
