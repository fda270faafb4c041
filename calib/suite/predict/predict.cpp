#include <calib/suite/predict/predict.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/output/document.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/format.hpp>
#include <calib/suite/predict/check.hpp>
#include <calib/suite/predict/output.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace calib::suite {
namespace {

using namespace std::chrono_literals;

struct machines {
  profile here, there;
};

std::optional<machines> read_machines(const predict_arguments& from) {
  std::optional<profile> here = read_profile(from.profile);
  if (!here) return std::nullopt;
  std::optional<profile> there = from.on ? read_profile(from.on) : here;
  if (!there) return std::nullopt;
  return machines{std::move(*here), std::move(*there)};
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
  out.machine_there = of.there.machine.cpu;
  for (const auto& [machine, kept, transport, into] :
       {std::tuple("here", &of.here, out.transport, &out.here),
        std::tuple("there", &of.there, out.transport_there, &out.there)}) {
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

// What speaks against a profile.
void remark_on_fitness(const char* machine, const profile& of, result& into) {
  if (!of.complete)
    into.remarks.push_back(format("the profile of the machine {} is incomplete", machine));
  if (!of.unfit.empty())
    into.remarks.push_back(
        format("the profile of the machine {} is unfit: {}", machine, of.unfit.front()));
}

// Of what is not a straight line.
void remark_on_extrapolation(const char* dial, double there, const study& from, result& into) {
  double highest = 0;
  for (const studied_program& one : from.programs)
    if (const auto found = one.dials.find(dial); found != one.dials.end())
      highest = std::max(highest, found->second.points.back().value);
  if (highest == 0 || there <= highest) return;
  into.remarks.push_back(
      format("{} there, {}, is more than the highest of the study, {}: programs "
             "that hide some of it are predicted too fast",
             dial, time_text(there), time_text(highest)));
}

void remark_on_set(const predicted_set& set, const study& from, const machines& of, result& into) {
  constexpr double much = 200;
  const double here = lone_message_extra(of.here, set.transport);
  const double there = lone_message_extra(of.there, set.transport_there);
  if (std::abs(there - here) > much)
    into.remarks.push_back(format(
        "a lone message keeps its sender longer than one in a stream by {:.0f} ns here, by {:.0f} "
        "there: a program that sends one at a time takes {} than predicted",
        here, there, there > here ? "longer" : "shorter"));
  remark_on_extrapolation("g", set.there.g, from, into);
  remark_on_extrapolation("G", set.there.G, from, into);
  const bool are_copies = set.transport == "shm";
  const bool are_copies_there = set.transport_there == "shm";
  const auto has_gets = [](const studied_program& one) { return one.load.gets > 0; };
  if (are_copies != are_copies_there && std::ranges::any_of(from.programs, has_gets))
    into.remarks.push_back(format("gets are {} here and {} there; they are taken to be as here",
                                  are_copies ? "copies" : "messages",
                                  are_copies_there ? "copies" : "messages"));
}

void remark_on(const study& from, const machines& of, const predict_arguments& given,
               result& into) {
  remark_on_fitness("here", of.here, into);
  if (given.on) remark_on_fitness("there", of.there, into);
  if (!from.is_fit) into.remarks.emplace_back("the study is incomplete, unfit, or has failures");
  if (!from.has_plain)
    into.remarks.emplace_back(
        "the study has no times without AM_DIAL: what the apparatus of dials costs is in all "
        "times");
  if (from.cpu != of.here.machine.cpu)
    into.remarks.push_back(format("the study is of another machine, {}, than the profile, {}",
                                  from.cpu, of.here.machine.cpu));
  if (given.check && of.here.fingerprint != fingerprint_of(this_machine()))
    into.remarks.emplace_back("the profile is of another machine or libam than this one");
  if (of.here.machine.cpu != of.there.machine.cpu)
    into.remarks.emplace_back(
        "the processors differ; what programs compute is taken to take as long there as here");
  for (const predicted_set& set : into.predictions) remark_on_set(set, from, of, into);
}

constexpr double longest_run = 12;  // in seconds; a launch is three of them

plan plan_for(const predict_arguments& from) {
  plan out{3, 0, 3, 12, 240s, from.seed, {}, {}};
  if (from.rounds > 0) out.min_rounds = out.max_rounds = from.rounds;
  if (out.seed == 0) out.seed = std::random_device{}();
  return out;
}

// "" or a complaint.
std::string complaint_about(const predict_arguments& from, const study& read) {
  if (!from.json.empty() &&
      (from.json == from.study || from.json == from.on || from.json == from.profile))
    return format("--json names {}, which is read", from.json);
  if (!from.on && from.over.empty())
    return "no other machine: --on names a profile of one, --over another transport of this one";
  if (!from.check && (from.rounds > 0 || from.seed > 0)) return "--rounds and --seed need --check";
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

}  // namespace

exit_status predict(const predict_arguments& from) {
  std::optional<study> read = read_document(from.study, parse_study);
  if (!read) return bad_usage;
  if (const std::string line = complaint_about(from, *read); !line.empty()) {
    say(line);
    return bad_usage;
  }
  if (!from.programs.empty())
    std::erase_if(read->programs, [&](const studied_program& one) {
      return std::ranges::find(from.programs, one.entry.program) == from.programs.end();
    });
  const std::optional<machines> of = read_machines(from);
  if (!of) return bad_usage;
  result whole{};
  whole.machine = of->here.machine;
  for (const form& which : forms_of(*read)) {
    auto set = predict_set(*read, *of, which, from.over);
    if (!set) return bad_usage;
    whole.predictions.push_back(std::move(*set));
  }
  remark_on(*read, *of, from, whole);
  std::optional<std::string> file;
  if (!from.json.empty()) file = from.json;
  if (file && !can_write(*file)) return failed;
  if (from.check) {
    whole.input = read->input;
    take_checks(plan_for(from), longest_run, whole);
    analyse(whole);
    analyse_checks(whole);
  }
  if (!write_result(file, json_of(whole), prediction_table(whole, may_colour(STDOUT_FILENO))))
    return failed;
  return report_fitness(whole);
}

}  // namespace calib::suite
