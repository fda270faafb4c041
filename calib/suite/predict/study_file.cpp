#include <calib/suite/predict/study_file.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/output/document.hpp>
#include <calib/driver/output/json_values.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

// Times are above nothing: they are divided by.
double time_from(const json_field& from, double least) {
  const double out = from.number();
  if (out < least) from.expected(format("a time of at least {:g} ns", least));
  return out;
}

std::string name_from(const json_field& from) {
  std::string out = from.text();
  if (out.empty()) from.expected("a name");
  return out;
}

// The median under this key, and the ends of its interval, which may be null.
range range_of(const json_field& from, const char* key) {
  range out = range::exactly(from[key].number());
  std::optional<double> low, high;
  read(from["low"], low);
  read(from["high"], high);
  out.low = std::min(out.likely, low.value_or(out.likely));
  out.high = std::max(out.likely, high.value_or(out.likely));
  return out;
}

load load_from(const json_field& from) {
  const auto count = [&](const char* key) {
    const double out = from[key].number();
    if (out < 0) from[key].expected("a number of at least 0");
    return out;
  };
  return {count("sent"),      count("handled"), count("bytes"),   count("gets"),
          count("get_bytes"), count("reads"),   count("barriers")};
}

entry entry_from(const json_field& from) {
  entry out{name_from(from["program"]), name_from(from["layer"]), name_from(from["variant"]),
            name_from(from["transport"])};
  read(from["ranks"], out.ranks);
  if (!out.is_libam()) from["layer"].expected("a layer of libam");
  if (out.ranks < 2 || out.ranks > 64) from["ranks"].expected("2 to 64 ranks");
  return out;
}

dial_response response_from(const json_field& from, double base) {
  dial_response out{range_of(from, "slope"), {}};
  for (const json_field& point : from["points"].items()) {
    const double value = time_from(point["dial_ns"], 0.001);
    if (!out.points.empty() && value <= out.points.back().value)
      point["dial_ns"].expected("values that ascend");
    out.points.push_back({value, (range_of(point, "slowdown") - range::exactly(1)) * base});
  }
  if (out.points.empty()) from["points"].expected("at least one point");
  return out;
}

void add_row(const json_field& from, study& into) {
  const entry of = entry_from(from);
  auto found = std::ranges::find(into.programs, of, &studied_program::entry);
  if (found == into.programs.end()) {
    const double base = time_from(from["base_ns"], 1);
    const auto plain = from.find("plain_ns");
    into.has_plain = into.has_plain && plain;
    found = into.programs.insert(
        found, {of, base, plain ? time_from(*plain, 1) : base, load_from(from["load"]), {}});
  }
  const std::string name = from["dial"].text();
  if (std::ranges::find(dial_names(), name) == dial_names().end())
    return from["dial"].expected("a dial of AM_DIAL");
  if (!found->dials.emplace(name, response_from(from, found->base)).second)
    from["dial"].expected("each dial of a program once");
}

study study_from(const json_field& whole) {
  study out;
  if (whole["schema"].text() != "am-suite/1") whole["schema"].expected("\"am-suite/1\"");
  out.cpu = whole["machine"]["cpu"].text();
  if (const auto input = whole.find("input")) out.input = input->text();
  const json_field conditions = whole["conditions"];
  out.is_fit = whole["complete"].boolean() && conditions["unfit"].items().empty() &&
               conditions["failed"].items().empty();
  for (const json_field& row : whole["sensitivity"].items()) add_row(row, out);
  if (out.programs.empty()) whole["sensitivity"].expected("programs with a dial");
  return out;
}

}  // namespace

std::optional<study> parse_study(const std::string& text, std::string& problem) {
  std::optional<study> out;
  parse_document(text, problem, [&](const json_field& whole) {
    study found = study_from(whole);
    if (whole.good()) out = std::move(found);
  });
  if (problem == "sensitivity is missing")
    problem = "it has no study: am-suite --dial ... --json FILE writes one";
  return out;
}

}  // namespace calib::suite
