#include <libam/base/format.hpp>
#include <libam/tools/am-trace/states.hpp>

#include <nlohmann/json.hpp>

namespace am::detail::traces {
namespace {

double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string row_of(std::string_view name, const rank_states& of) {
  return base::format(
      "{:>5} {:>12.3f} {:>8.1f} {:>9.1f} {:>10.1f} {:>10.1f} {:>10} {:>7.1f} {:>12.3f} {:>8}\n",
      name, of.elapsed / 1e6, share(of.user, of.elapsed), share(of.logical, of.elapsed),
      share(of.physical, of.elapsed), share(of.overhead, of.elapsed), of.messages,
      share(static_cast<double>(of.delayed), static_cast<double>(of.messages)), of.longest / 1e6,
      of.retries);
}

// The paper's interpretation, by the two states that tell programs apart.
std::string reading_of(const rank_states& mean) {
  constexpr double much = 25;  // per cent
  const double waits = share(mean.logical, mean.elapsed), computes = share(mean.user, mean.elapsed);
  if (waits >= much && computes >= much)
    return "Ranks wait long for messages that are not sent yet, although they compute much:\n"
           "the work is not spread evenly.";
  if (waits >= much)
    return "Ranks wait for messages that are not sent yet: they work in turn.\n"
           "What makes messages cheaper shortens these waits, too.";
  if (computes >= 100 - much) return "The program computes: cheaper messages would change little.";
  return "Ranks seldom wait for each other: what messages cost by themselves is the rest.";
}

nlohmann::json json_of(const rank_states& of) {
  return {{"elapsed", of.elapsed},   {"user", of.user},         {"logical", of.logical},
          {"physical", of.physical}, {"overhead", of.overhead}, {"longest", of.longest},
          {"messages", of.messages}, {"delayed", of.delayed},   {"retries", of.retries}};
}

}  // namespace

std::string states_text(const std::vector<rank_states>& all) {
  const rank_states mean = mean_of(all);
  std::string out =
      base::format("{:>5} {:>12} {:>8} {:>9} {:>10} {:>10} {:>10} {:>7} {:>12} {:>8}\n", "rank",
                   "elapsed ms", "user %", "logical %", "physical %", "overhead %", "messages",
                   "LM %", "longest ms", "retries");
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].elapsed > 0) out += row_of(base::format("{}", rank), all[rank]);
  out += row_of("mean", mean);
  const double each = mean.delayed != 0 ? mean.logical * static_cast<double>(ranks_with_time(all)) /
                                              static_cast<double>(mean.delayed)
                                        : 0;
  base::append(
      out,
      "\n{:.1f} % of the messages were waited for before they were sent (LM), for {:.2f} us "
      "on average.\n{}\n",
      share(static_cast<double>(mean.delayed), static_cast<double>(mean.messages)), each / 1e3,
      reading_of(mean));
  return out;
}

std::string states_json(const std::vector<rank_states>& all, double bound) {
  nlohmann::json ranks = nlohmann::json::array();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].elapsed == 0) continue;
    nlohmann::json one = json_of(all[rank]);
    one["rank"] = rank;
    ranks.push_back(std::move(one));
  }
  const nlohmann::json whole = {{"schema", "am-states/1"},
                                {"clock_bound", bound},
                                {"ranks", std::move(ranks)},
                                {"mean", json_of(mean_of(all))}};
  return whole.dump(1) + '\n';
}

}  // namespace am::detail::traces
