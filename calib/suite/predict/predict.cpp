#include <calib/suite/predict/predict.hpp>

#include <calib/driver/output/document.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/format.hpp>
#include <calib/suite/predict/check.hpp>
#include <calib/suite/predict/output.hpp>
#include <calib/suite/predict/remarks.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

namespace calib::suite {
namespace {

using namespace std::chrono_literals;

// Nothing: a message has said why.
std::optional<machines> read_machines(const predict_arguments& from) {
  std::optional<profile> here = read_profile(from.profile);
  if (!here) return std::nullopt;
  machines out{std::move(*here), {}};
  if (from.on && !(out.other = read_profile(from.on))) return std::nullopt;
  return out;
}

using form = std::pair<std::string, unsigned>;  // the transport and the number of ranks

std::vector<form> forms_of(const study& from) {
  std::vector<form> out;
  for (const studied_program& one : from.programs)
    if (const form its(one.entry.transport, one.entry.ranks);
        std::ranges::find(out, its) == out.end())
      out.push_back(its);
  return out;
}

// Nothing: a message has said why.
std::optional<predicted_set> predict_set(const study& from, const machines& of, const form& which,
                                         const std::string& over) {
  predicted_set out;
  std::tie(out.transport, out.ranks) = which;
  out.transport_there = over.empty() ? out.transport : over;
  out.machine_there = of.there().machine.cpu;
  for (const auto& [machine, kept, transport, into] :
       {std::tuple("here", &of.here, out.transport, &out.here),
        std::tuple("there", &of.there(), out.transport_there, &out.there)}) {
    std::string problem;
    const std::optional<costs> found = costs_of(*kept, transport, problem);
    if (!found) {
      say(format("the profile of the machine {}: {}", machine, problem));
      return std::nullopt;
    }
    *into = *found;
  }
  out.dials = dials_for(out.here, out.there);
  const costs dialled = dialled_costs(out.here, out.there);
  for (const studied_program& one : from.programs)
    if (which == form(one.entry.transport, one.entry.ranks))
      out.programs.push_back({suite::predict(one, one.plain, out.here, out.there),
                              suite::predict(one, one.base, out.here, dialled), std::nullopt});
  return out;
}

constexpr double longest_run = 12;  // in seconds; a launch is three of them

const plan check_plan{3, 0, 3, 12, 240s, 0, {}, {}};

// "" or a complaint.
std::string complaint_about(const predict_arguments& from, const study& read) {
  if (!from.json.empty() &&
      (from.json == from.study || from.json == from.on || from.json == from.profile))
    return format("--json names {}, which is read", from.json);
  if (!from.on && from.over.empty())
    return "no other machine: --on names a profile of one, --over another transport of this one";
  if (!from.check && (from.effort.rounds > 0 || from.effort.seed > 0))
    return "--rounds and --seed need --check";
  std::vector<std::string> names;
  for (const studied_program& one : read.programs) names.push_back(one.entry.program);
  for (const std::string& name : from.programs)
    if (std::ranges::find(names, name) == names.end())
      return format("{} has no program '{}'", from.study, name);
  const std::vector<std::string> inputs = {"small", "quick", "normal"};
  if (from.check && std::ranges::find(inputs, read.input) == inputs.end())
    return format("{} does not say which inputs its programs had, so --check cannot run them",
                  from.study);
  return {};
}

// Nothing: a message has said why.
std::optional<study> read_programs(const predict_arguments& from) {
  std::optional<study> out = read_document(from.study, parse_study);
  if (!out) return std::nullopt;
  if (const std::string line = complaint_about(from, *out); !line.empty()) {
    say(line);
    return std::nullopt;
  }
  const auto is_left_out = [&](const studied_program& one) {
    return !from.programs.empty() &&
           std::ranges::find(from.programs, one.entry.program) == from.programs.end();
  };
  std::erase_if(out->programs, is_left_out);
  return out;
}

// False: a message has said why.
bool predict_all(const study& from, const machines& of, const std::string& over, result& into) {
  into.machine = of.here.machine;
  for (const form& which : forms_of(from)) {
    auto set = predict_set(from, of, which, over);
    if (!set) return false;
    into.predictions.push_back(std::move(*set));
  }
  remark_on(from, of, into);
  return true;
}

void check_all(const predict_arguments& from, const study& read, const machines& of, result& into) {
  if (of.here.fingerprint != fingerprint_of(this_machine()))
    into.remarks.emplace_back("the profile is of another machine or libam than this one");
  into.input = read.input;
  take_checks(from.effort.applied_to(check_plan), longest_run, into);
  analyse(into);
  analyse_checks(into);
}

}  // namespace

exit_status predict(const predict_arguments& from) {
  const std::optional<study> read = read_programs(from);
  if (!read) return bad_usage;
  const std::optional<machines> of = read_machines(from);
  result whole{};
  if (!of || !predict_all(*read, *of, from.over, whole)) return bad_usage;
  std::optional<std::string> file;
  if (!from.json.empty()) file = from.json;
  if (file && !can_write(*file)) return failed;
  if (from.check) check_all(from, *read, *of, whole);
  if (!write_result(file, json_of(whole), prediction_table(whole, may_colour(STDOUT_FILENO))))
    return failed;
  return report_fitness(whole);
}

}  // namespace calib::suite
