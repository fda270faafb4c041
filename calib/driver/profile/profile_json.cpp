#include <calib/driver/profile/profile_json.hpp>

#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/document.hpp>
#include <calib/driver/output/json_text.hpp>
#include <calib/driver/profile/profile_record.hpp>
#include <calib/driver/profile/runtime_figures.hpp>

namespace calib {
namespace {

constexpr char statistics[] =
    "A launch counts by the median of its samples without warm-up, in the first condition of "
    "`lines`; its parameters are read from these. A parameter is the median over launches, low and "
    "high are exact binomial ranks (95 "
    "%). rtt is back to back. o_s, o_r: messages two round trips apart. o_s_stream: the second "
    "half of a window of requests sent without a look at answers. o_r_stream: the shortest "
    "delay that sets the pace. g: requests without a delay between them, when as many have gone "
    "before. L = rtt / 2 - o_s - o_r. In the signature, messages null: going on steadily; a "
    "point of less than 20 times the clock's resolution is a slope to the next. T of stores and "
    "requests: what they take with an answer, less half an rtt.";

}  // namespace

template <class Io>
void describe(Io& io, profile_record& p) {
  io.closed();
  io("schema", exactly{"am-profile/1"});
  io("fingerprint", p.of.fingerprint,
     "What figures depend on: CPU, cores, caches, hypervisor, kernel, libam and UCX. A profile of "
     "another one is not of this machine.");
  io.may("runtime", runtime_figures{p},
         "What libam uses of this profile, again: it reads no further. Anything else reads "
         "`complete` and `transports` below.");
  io("machine", p.of.machine);
  io("conditions", object{[&](auto& conditions) {
       describe_conditions(conditions, p.of, statistics);
       conditions.may("costs", p.layers.costs,
                      "By transport or layer, then by operation other than store: G and g0, as "
                      "loggp has them of stores.");
       conditions.may("lines", bounded_list{p.conditions, 20, "conditions"},
                      "What the time of a bare cache line between the two CPUs tells apart, the "
                      "most frequent first, for which the profile stands.");
     }},
     "What was planned, under what it was measured, what must be said of it, and every sample. "
     "More may stand here than is named.");
  io("complete", p.of.complete,
     "false: it was stopped, or a launch of a job failed, before all was measured.");
  io("transports", p.layers.transports, "libam's own, by name.");
  io.may("layers", p.layers.peers, "The same of its peers.");
}

std::string json_of(const profile& from) {
  const profile_record whole = record_of(from);
  json out = written(whole);
  if (whole.layers.peers.empty()) out.erase("layers");
  json& lines = out["conditions"]["lines"];
  for (json& one : lines)
    for (const char* key : {"transports", "layers", "costs"})
      if (one[key].empty()) one.erase(key);
  if (lines.empty()) out["conditions"].erase("lines");
  return text_of(out);
}

std::optional<profile> parse_profile(const std::string& text, std::string& problem) {
  std::optional<profile> out;
  parse_document(text, problem, [&](const json_field& whole) {
    profile_record found{};
    read(whole, found);
    if (whole.good()) out = profile_of(found);
  });
  return out;
}

std::string profile_schema() {
  json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "am-profile/1: what messages cost on one machine"},
              {"description",
               "Written by am-calibrate run, read by am-calibrate show, compare and export. Times "
               "are nanoseconds."}};
  out.update(form_of(profile_record{}));
  out["$defs"] = definitions_of_values();
  out["$defs"]["layer"] = form_of<layer_record>(layer_record{});
  return text_of(out);
}

}  // namespace calib
