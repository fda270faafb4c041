// A profile in the form of its file, and the fields of that (json_record.hpp). In the file G and g0
// stand apart from the segments: `loggp` has those of the first operation, the conditions those of
// the others.
#pragma once

#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/profile/cross_checks_fields.hpp>
#include <calib/driver/profile/profile.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace calib {

struct cost_record {
  logp::parameter G, g0;
};
template <class Io>
void describe(Io& io, cost_record& c) {
  io("G", parameter_value{c.G, "ns/B"});
  io("g0", parameter_value{c.g0, "ns"});
}

struct segment_record {
  std::string operation;
  logp::gap_segment segment;
};
template <class Io>
void describe(Io& io, segment_record& s) {
  io("operation", not_empty{s.operation});
  io("from", at_least_0{s.segment.from});
  io("to", at_least_0{s.segment.to});
  io("g0", s.segment.g0);
  io("G", rounded_finely{s.segment.G});
}

struct loggp_record {
  cost_record first;
  std::vector<segment_record> segments;
};
template <class Io>
void describe(Io& io, loggp_record& l) {
  io.closed();
  describe(io, l.first);
  io("segments", bounded_list{l.segments, 100, "segments"});
}

template <class Io>
void describe(Io& io, sized_cost& c) {
  logp::parameter bandwidth = c.bandwidth();  // of what is read it follows from g, too
  io("operation", not_empty{c.operation});
  io("bytes", c.bytes);
  io("o", known_value{c.o, "ns"});
  io("g", known_value{c.g, "ns"});
  io("T", known_value{c.T, "ns"});
  io.may("g_uncached", optional_value{c.g_uncached, "ns"},
         "The gap of pieces that were in no cache before; g is that of pieces in memory of 8 MiB "
         "that is used again and again.");
  io("bandwidth", parameter_value{bandwidth, "GB/s"},
     "10^9 bytes a second: bytes divided by g; unknown where g was measured as 0 or less.");
}

template <class Io>
void describe(Io& io, signature_point& p) {
  io("messages", nullable{p.messages});
  io("delay_ns", at_least_0{p.delay_ns});
  io("ns", p.ns);
}

// A table has a cell for each number of messages with each delay.
struct signature_list {
  std::vector<signature_point>& of;
};
inline json written(const signature_list& list) { return written(list.of); }
void read(const json_field& from, const signature_list& into);
inline json form_of(const signature_list& list) { return form_of(list.of); }

// Its parameters, each in its place; the remarks belong to the layer.
template <class Io>
void describe(Io& io, logp::summary& s) {
  io.closed();
  for (const char* name : {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"}) {
    auto at = std::ranges::find(s.parameters, name, &logp::parameter::name);
    if (at == s.parameters.end()) at = s.parameters.insert(at, {name, std::nullopt, ""});
    io(name, parameter_value{*at, "ns"});
  }
}

struct layer_record {
  logp::summary logp;
  loggp_record loggp;
  std::vector<sized_cost> sizes;
  std::vector<signature_point> signature;
  calib::cross_checks cross_checks;
  std::optional<estimate> wake_up;
  bool of_all_conditions = false;
};
template <class Io>
void describe(Io& io, layer_record& l) {
  io.closed();
  io("logp", l.logp, "Of four words: docs/calibration.md says what each parameter is.");
  io("loggp", l.loggp,
     "g(n) = g0 + n G between pieces of n bytes. G of the largest and g0 of the smallest stores; "
     "the segments of all operations.");
  io("by_size", bounded_list{l.sizes, 200, "sizes"},
     "Of pieces of data: the sender's call, the gap, the time until a piece is there, and what "
     "that comes to.");
  io("signature", signature_list{l.signature},
     "The time for each of `messages` requests on an idle layer, with a computation of delay_ns "
     "after each, which is included. messages null: in the steady state.");
  io("validation", l.cross_checks,
     "How well the parameters predict measurements that did not determine them.");
  io.may("wake_up", optional_value{l.wake_up, "ns"},
         "By how much a round trip is longer to a peer that sleeps.");
  io.may("of_all_conditions", nullable{l.of_all_conditions},
         "true: the figures are of all samples, although those of other layers are of the first "
         "condition of `lines`.");
  io.may("remarks", l.logp.remarks, "What sets the gap, and what must be said of the layer.");
}

// The layers of both kinds have one definition; form_of<layer_record>() is that.
inline json form_of(const layer_record&) { return {{"$ref", "#/$defs/layer"}}; }

struct layer_records {
  members<members<cost_record>> costs;
  members<layer_record> transports, peers;
};

// The profile's own condition has no layers: these are the profile's.
struct condition_record {
  line_condition is;
  layer_records of;
};
template <class Io>
void describe(Io& io, condition_record& c) {
  io("line_ns", at_least_0{c.is.line_ns}, "The median time of a cache line, there and back.");
  io("low", at_least_0{c.is.low}, "From low to high lie the times of the line that belong here.");
  io("high", at_least_0{c.is.high});
  io("share", from_0_to_1{c.is.share}, "The part of the samples that were taken in it.");
  io.may("slow_ranks", bounded_list{c.is.slow_ranks, 2, "ranks"},
         "The ranks, 0 or 1, whose core computed more slowly than usual.");
  io.may("usual_paces", bounded_list{c.is.usual_paces, 2, "paces"},
         "ns that a fixed computation takes at rank 0 and at rank 1 if they are not slow.");
  io.may("transports", c.of.transports, "The figures in it; the first condition is the profile's.");
  io.may("layers", c.of.peers);
  io.may("costs", c.of.costs);
}
// The median lies between the ends; the ranks are of a pair and ascend; both paces are known or
// none.
void read(const json_field& from, condition_record& into);

struct profile_record {
  profile of;  // without its layers
  layer_records layers;
  std::vector<condition_record> conditions;
};
profile_record record_of(const profile& from);
profile profile_of(const profile_record& from);

}  // namespace calib
