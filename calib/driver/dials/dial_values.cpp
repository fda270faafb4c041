#include <calib/driver/dials/dial_values.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace calib {
namespace {

constexpr std::pair<std::string_view, double> units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
// What AM_DIAL accepts at most, and the least that time_text() shows.
constexpr double longest = 10e9;
constexpr double longest_byte = 100e3;
constexpr double shortest = 0.001;

std::string read_time(std::string_view text, double& ns) {
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const std::string_view rest(stopped, static_cast<std::size_t>(end - stopped));
  const auto* const unit = std::ranges::find(units, rest, [](const auto& u) { return u.first; });
  if (error != std::errc{} || unit == std::end(units))
    return format("'{}' is not a time such as 5us or 0.5ns", text);
  ns = number * unit->second;
  if (ns >= shortest && ns <= longest) return {};
  return format("'{}' is not a time from {} to {}", text, time_text(shortest), time_text(longest));
}

// 1, 2 and 5 of each power of ten between two values, and these.
std::vector<double> series_between(double from, double to) {
  constexpr double apart = 1.001;  // values closer than this are the same
  std::vector<double> out = {from};
  for (int power = static_cast<int>(std::floor(std::log10(from))); std::pow(10, power) < to;
       ++power)
    for (const int step : {1, 2, 5}) {
      const double value = step * std::pow(10, power);
      if (value > from * apart && value * apart < to) out.push_back(value);
    }
  if (to > from) out.push_back(to);
  return out;
}

std::string read_list(std::string_view text, std::vector<double>& ns) {
  for (;;) {
    const std::size_t comma = text.find(',');
    double one = 0;
    if (std::string complaint = read_time(text.substr(0, comma), one); !complaint.empty())
      return complaint;
    if (!ns.empty() && one <= ns.back())
      return format("the values do not ascend: {} follows {}", time_text(one),
                    time_text(ns.back()));
    ns.push_back(one);
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

const std::vector<std::string>& dial_names() {
  static const std::vector<std::string> all = {"o", "o_s", "o_r", "L", "g", "g_s", "g_r", "G"};
  return all;
}

bool is_added(std::string_view dial_name) { return dial_name.starts_with('o') || dial_name == "L"; }

std::string read_dial_values(std::string_view text, std::vector<double>& ns) {
  ns.clear();
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return read_list(text, ns);
  double from = 0;
  double to = 0;
  for (const auto& [end, value] :
       {std::pair(text.substr(0, dots), &from), std::pair(text.substr(dots + 2), &to)})
    if (std::string complaint = read_time(end, *value); !complaint.empty()) return complaint;
  if (from > to) return format("{} is more than {}", time_text(from), time_text(to));
  ns = series_between(from, to);
  return {};
}

std::string read_dial(std::string_view text, dial& into) {
  const std::size_t equals = text.find('=');
  into.name = text.substr(0, equals);
  if (std::ranges::find(dial_names(), into.name) == dial_names().end()) {
    std::string all;
    for (const std::string& one : dial_names()) all += ' ' + one;
    return format("unknown dial '{}'; there are{}", into.name, all);
  }
  if (equals == std::string_view::npos)
    return format("the dial {} has no values, such as {}=1us..100us", into.name, into.name);
  if (std::string complaint = read_dial_values(text.substr(equals + 1), into.ns);
      !complaint.empty())
    return format("dial {}: {}", into.name, complaint);
  if (into.name == "G" && into.ns.back() > longest_byte)
    return format("dial G: a byte takes at most {}, not {}", time_text(longest_byte),
                  time_text(into.ns.back()));
  return {};
}

std::string time_text(double ns) {
  const auto* unit = std::begin(units);
  while (std::next(unit) != std::end(units) && ns >= std::next(unit)->second) ++unit;
  return format("{:.6g}{}", ns / unit->second, unit->first);
}

std::string dial_setting(std::string_view dial_name, double ns) {
  return format("{}={}{}", dial_name, is_added(dial_name) ? "+" : "", time_text(ns));
}

}  // namespace calib
