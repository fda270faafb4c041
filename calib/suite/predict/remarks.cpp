#include <calib/suite/predict/remarks.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/format.hpp>
#include <calib/suite/sensitivity/sensitivity.hpp>

#include <algorithm>
#include <cmath>

namespace calib::suite {
namespace {

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
  into.remarks.push_back(format(
      "{} there, {}, is more than the highest of the study, {}: programs that hide some of it "
      "are predicted too fast",
      dial, time_text(there), time_text(highest)));
}

void remark_on_set(const predicted_set& set, const study& from, const machines& of, result& into) {
  constexpr double much = 200;
  const double here = lone_message_extra(of.here, set.transport);
  const double there = lone_message_extra(of.there(), set.transport_there);
  if (std::abs(there - here) > much)
    into.remarks.push_back(format(
        "a lone message keeps its sender longer than one in a stream by {:.0f} ns here, by {:.0f} "
        "there: a program that sends one at a time takes {} than predicted",
        here, there, there > here ? "longer" : "shorter"));
  remark_on_extrapolation("g", set.there.g, from, into);
  remark_on_extrapolation("G", set.there.G, from, into);
  const bool are_copies = has_direct_gets(set.transport);
  const bool are_copies_there = has_direct_gets(set.transport_there);
  const auto has_gets = [](const studied_program& one) { return one.load.gets > 0; };
  if (are_copies != are_copies_there && std::ranges::any_of(from.programs, has_gets))
    into.remarks.push_back(format("gets are {} here and {} there; they are taken to be as here",
                                  are_copies ? "copies" : "messages",
                                  are_copies_there ? "copies" : "messages"));
}

}  // namespace

void remark_on(const study& from, const machines& of, result& into) {
  remark_on_fitness("here", of.here, into);
  if (of.other) remark_on_fitness("there", *of.other, into);
  if (!from.is_fit) into.remarks.emplace_back("the study is incomplete, unfit, or has failures");
  if (!from.has_plain)
    into.remarks.emplace_back(
        "the study has no times without AM_DIAL: what the apparatus of dials costs is in all "
        "times");
  if (from.cpu != of.here.machine.cpu)
    into.remarks.push_back(format("the study is of another machine, {}, than the profile, {}",
                                  from.cpu, of.here.machine.cpu));
  if (of.here.machine.cpu != of.there().machine.cpu)
    into.remarks.emplace_back(
        "the processors differ; what programs compute is taken to take as long there as here");
  for (const predicted_set& set : into.predictions) remark_on_set(set, from, of, into);
}

}  // namespace calib::suite
