// The fields of a machine and of the conditions of a measurement (json_record.hpp): parts of the
// documents of every command that measures.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/output/json_record.hpp>

#include <string>
#include <vector>

namespace calib {

template <class Io>
void describe(Io& io, machine& m) {
  io("cpu", m.cpu);
  io("cores", m.cores, "That are online.");
  io("caches", m.caches);
  io("hypervisor", nullable{m.hypervisor});
  io("kernel", m.kernel);
  io("memory_gib", at_least_0{m.memory_gib});
}

// What is written for people alone.
json plan_of(const plan& of);
json pinning_of(const environment& of);
json launches_of(const std::vector<launch>& launches);

// Which keys the conditions have is not defined, but a known key must have a value of its kind.
// `statistics` says how the values of the document were computed.
template <class Io>
void describe_conditions(Io& io, measurement& m, const char* statistics) {
  environment& e = m.environment;
  io.only_written("plan", plan_of(m.plan));
  io.only_written("rounds", m.rounds);
  io.only_written("statistics", statistics);
  io.may("seconds", at_least_0{e.seconds});
  io.may("clock", object{[&](auto& clock) {
           clock.may("source", e.clock);
           clock("resolution_ns", at_least_0{e.clock_resolution_ns});
           clock.may("cost_ns", e.clock_cost_ns);
         }});
  io.only_written("allowed_cpus", e.allowed_cpus);
  io.only_written("pinning", pinning_of(e));
  io.only_written("cores_shared", e.cores_shared);
  io.only_written("governor", written(nullable{e.governor}));
  io.only_written("stolen", written(e.stolen));
  io.only_written("others", written(e.others));
  io.only_written("load", {written(e.load_before), written(e.load_after)});
  io.only_written("settings", e.notes);
  io.may("remarks", m.remarks, "Worth knowing.");
  io.may("unfit", m.unfit, "Why the figures should not be used.");
  io.may("failed", m.failed, "What could not be measured.");
  io.only_written("missing", m.missing);
  io.only_written("launches", launches_of(m.launches));
}

// Of documents that nothing reads: the conditions, and the whole text, in which `rest` follows what
// all of them begin with.
json conditions_of(const measurement& from, const char* statistics);
std::string document_of(const char* schema, const measurement& from, json conditions,
                        const json& rest);

}  // namespace calib
