#include <libam/base/format.hpp>
#include <libam/tools/am-trace/dilation.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace am::detail::traces {
namespace {

constexpr double ms = 1e6;
constexpr double us = 1e3;

std::string table_of(const dilation& all) {
  std::string out = base::format(
      "{:>3} {:>7} {:>7} {:>7} {:>7} {:>7} {:>4} {:>6} {:>7} {:>8} {:>7} {:>8} {:>6}\n", "D", "E_D",
      "U_D", "L_D", "P_D", "O_D", "LM", "A_D", "longest", "messages", "retries", "speed-up",
      "off %");
  for (const dilation_row& one : all.rows)
    base::append(out,
                 "{:>3} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>4.1f} {:>6.2f} {:>7.3f} "
                 "{:>8} {:>7} {:>8.2f} {:>+6.1f}\n",
                 one.factor, one.elapsed / ms, one.user / ms, one.logical / ms, one.physical / ms,
                 one.overhead / ms, 100 * one.delayed, one.mean_delay / us, one.longest / ms,
                 one.messages, one.retries, one.speedup, 100 * (one.estimate / one.elapsed - 1));
  base::append(out, "{:>3} {:>7} {:>7} {:>7} {:>7} {:>7} {:>4} {:>6} {:>7}\n", "", "ms", "ms", "ms",
               "ms", "ms", "%", "us", "ms");
  return out;
}

// What the first step brings, and of which state.
std::string gain_text(const dilation_row& from, const dilation_row& to) {
  const double gain = from.elapsed - to.elapsed;
  std::string out = base::format("A network {:g} times as fast would make it {:.2f} times as fast",
                                 to.factor, to.speedup);
  if (gain < 0.02 * from.elapsed) return out + ".\n";
  const auto share = [&](double dilation_row::*state) {
    return 100 * (from.*state - to.*state) / gain;
  };
  base::append(out,
               ": of what that gains, {:.0f} % is\nlogical delay, {:.0f} % physical delay, {:.0f} "
               "% overhead, and {:.0f} % computation.\n",
               share(&dilation_row::logical), share(&dilation_row::physical),
               share(&dilation_row::overhead), share(&dilation_row::user));
  const double shorter = from.physical - to.physical;
  if (shorter > 0.001 * from.elapsed)
    base::append(out, "A nanosecond less of physical delay goes with {:.1f} of elapsed time.\n",
                 gain / shorter);
  return out;
}

std::string estimate_text(const dilation& all) {
  double most = 0;
  for (const dilation_row& one : all.rows)
    most = std::max(most, std::abs(one.estimate / one.elapsed - 1));
  const auto sign = [](double of) { return of < 0 ? '-' : '+'; };
  return base::format("E_D is about U + P_1 / D {} {:.4f} ms x {} {} {:.3f} ms, within {:.1f} %.\n",
                      sign(all.slope), std::abs(all.slope) / ms, all.by_retries ? "retries" : "1/D",
                      sign(all.rest), std::abs(all.rest) / ms, 100 * most);
}

nlohmann::json json_of(const dilation_row& one) {
  return {{"factor", one.factor},     {"elapsed", one.elapsed},       {"user", one.user},
          {"logical", one.logical},   {"physical", one.physical},     {"overhead", one.overhead},
          {"delayed", one.delayed},   {"mean_delay", one.mean_delay}, {"longest", one.longest},
          {"messages", one.messages}, {"retries", one.retries},       {"speedup", one.speedup},
          {"estimate", one.estimate}};
}

}  // namespace

std::string dilation_text(const dilation& all, const dilation_of& what) {
  std::string out =
      base::format("{}{}\n\n{}\n", what.command,
                   what.within.empty() ? "" : ", within " + what.within, table_of(all));
  if (all.rows.size() < 2) return out;
  out += gain_text(all.rows.front(), all.rows[1]);
  if (all.rows.size() > 2)
    base::append(out, "One {:g} times as fast: {:.2f} times.\n", all.rows.back().factor,
                 all.rows.back().speedup);
  return out + estimate_text(all);
}

std::string dilation_json(const dilation& all, const dilation_of& what) {
  nlohmann::json rows = nlohmann::json::array();
  for (const dilation_row& one : all.rows) rows.push_back(json_of(one));
  const nlohmann::json whole = {
      {"schema", "am-dilation/1"},
      {"command", what.command},
      {"within", what.within.empty() ? nlohmann::json(nullptr) : nlohmann::json(what.within)},
      {"rounds", what.rounds},
      {"rows", std::move(rows)},
      {"estimate",
       {{"by", all.by_retries ? "retries" : "1/D"}, {"slope", all.slope}, {"rest", all.rest}}}};
  return whole.dump(1) + '\n';
}

}  // namespace am::detail::traces
