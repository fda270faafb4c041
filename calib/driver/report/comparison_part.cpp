// Two profiles side by side, as `compare` sees them.
#include <calib/driver/profile/comparison.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/driver/report/profile_part.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

html::dots dots_of(const compared_layer& from) {
  html::dots out{{"A", "B"}, {}, "ns, G ns/B"};
  for (const compared_parameter& one : from.parameters) {
    html::dots::line line{one.name, {}};
    if (one.before) line.shown.push_back({0, *one.before});
    if (one.after) line.shown.push_back({1, *one.after});
    out.lines.push_back(std::move(line));
  }
  return out;
}

// "shm: better g; worse L; 5 the same or not judged."
std::string words_of(const compared_layer& from) {
  std::string better, worse;
  std::size_t others = 0;
  for (const compared_parameter& one : from.parameters)
    if (one.outcome == outcome::better)
      better += ' ' + one.name;
    else if (one.outcome == outcome::worse)
      worse += ' ' + one.name;
    else
      ++others;
  return format("{}{}: {}{}{} the same or not judged.", from.name,
                from.own ? "" : ", a peer, which does not affect the verdict",
                better.empty() ? "" : format("better{}; ", better),
                worse.empty() ? "" : format("worse{}; ", worse), others);
}

}  // namespace

void add_comparison(const comparison_side& before, const comparison_side& after, html::page& into) {
  const comparison found = compare(before.is, after.is);
  for (const std::string& line : objections_to(before, after)) into.warning(line);
  if (found.apart) into.warning(found.conditions);
  if (const std::string why_not = found.why_not_judged(); !why_not.empty()) into.warning(why_not);
  if (const std::string names = worse_of(found); !names.empty()) into.warning("Worse: " + names);
  for (const std::string& name : found.only_before) into.warning(name + " is only in A");
  for (const std::string& name : found.only_after) into.warning(name + " is only in B");
  into.paragraph(count_line(found) + '.');
  if (!found.apart && !found.conditions.empty()) into.paragraph(found.conditions + '.');
  for (const compared_layer& one : found.layers)
    into.picture(words_of(one), dots_of(one), file_name("compared-" + one.name),
                 grid_of(one, false));
}

}  // namespace calib
