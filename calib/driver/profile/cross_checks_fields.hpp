// The fields of the key `validation` of a layer in a profile (json_record.hpp). The form of this
// part is not defined: a check of another form than ours is left out.
#pragma once

#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/profile/cross_checks.hpp>

#include <optional>
#include <string>
#include <utility>

namespace calib {

template <class Io>
void describe(Io& io, prtt_check& c) {
  io("o", known_value{c.o.value, "ns"});
  io("g", known_value{c.g.value, "ns"});
  io("G", known_value{c.G.value, "ns/B"});
  io("bytes_of_o", at_least_0{c.bytes});
  io("against", object{[&](auto& against) {
       against("o", c.o.off_percent);
       against("g", c.g.off_percent);
       against("G", c.G.off_percent);
     }});
  io.may("why_off", object{[&](auto& why) {
           why.may("o", not_empty{c.o.why_off});
           why.may("g", not_empty{c.g.why_off});
           why.may("G", not_empty{c.G.why_off});
         }});
}

template <class Io>
void describe(Io& io, startup_fit& f) {
  io("T0", known_value{f.T0, "ns"});
  io("R_inf", known_value{f.R_inf, "GB/s"});
  io.only_written("remark",
                  "T0 is unreliable: it mixes o, L and their overlap, and it may be negative");
}

template <class Io>
void describe(Io& io, exchange_time& t) {
  io("measured", known_value{t.measured, "ns"});
  io("predicted", known_value{t.predicted, "ns"});
  io("off", t.off_percent);
  io.may("remark", not_empty{t.remark});
  io.may("in_turn", optional_value{t.in_turn, "ns"});
}

json written(const direction_overlap& of);
void read(const json_field& from, direction_overlap& into);

template <class Io>
void describe(Io& io, exchange_check& c) {
  describe(io, static_cast<exchange_time&>(c));
  io.any_form("uncached", c.uncached);
  io.any_form("overlap", c.both_ways);
}

// A ratio and its interval.
struct ratio_value {
  estimate& of;
};
json written(const ratio_value& value);
void read(const json_field& from, const ratio_value& into);

// A check among several ranks, or why it is missing.
struct pattern_record {
  pattern_check check;
  unsigned ranks = 0;
  std::string why_not;
};
template <class Io>
void describe(Io& io, pattern_record& p) {
  io("verdict", nullable{p.check.verdict});
  if (p.check.verdict.empty()) return io("remark", p.why_not);
  io("ranks", p.ranks);
  io("g", known_value{p.check.g, "ns"});
  io("rtt", known_value{p.check.rtt, "ns"});
  io("times", object{[&](auto& times) {
       times("g", ratio_value{p.check.g_times});
       times("rtt", ratio_value{p.check.rtt_times});
     }});
}

using pattern_member = std::optional<pattern_check> multi_rank_checks::*;
std::optional<pattern_record> record_of(const cross_checks& from, pattern_member which);
void add(const pattern_record& one, pattern_member which, cross_checks& into);

template <class Io>
void describe(Io& io, cross_checks& c) {
  io.any_form("prtt", c.prtt);
  io.any_form("startup", c.startup);
  io.any_form("exchange", c.exchange);
  for (const auto& [name, which] : {std::pair("pairs", &multi_rank_checks::pairs),
                                    std::pair("one_to_many", &multi_rank_checks::one_to_many),
                                    std::pair("many_to_one", &multi_rank_checks::many_to_one)}) {
    std::optional<pattern_record> one;
    if constexpr (!Io::reads) one = record_of(c, which);
    io.any_form(name, one);
    if constexpr (Io::reads)
      if (one) add(*one, which, c);
  }
}

}  // namespace calib
