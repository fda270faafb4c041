// Takes what validates LogP in a job of several processes (logp/validation.hpp): the gap and the
// round trip of rank 0, which asks, while the others do what a pattern has them do, in the way rank
// 0 does it: floods beside its flood, single requests beside its round trips. They go on with that
// as long as rank 0 measures, so that everybody is at work in every sample.
//
// It is told under these names, PATTERN being alone, pairs, one_to_many or many_to_one, and as a
// note `ranks`, how many processes there are:
//   validate/PATTERN/g  validate/PATTERN/rtt
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace calib {

enum class pattern { alone, pairs, one_to_many, many_to_one };

constexpr const char* name_of(pattern p) {
  constexpr const char* names[] = {"alone", "pairs", "one_to_many", "many_to_one"};
  return names[static_cast<std::size_t>(p)];
}

// Whom a rank but the first asks all the time; nothing: it only answers. One who asks in pairs asks
// his right neighbour; of many, each asks rank 1.
constexpr std::optional<unsigned> asked_by(unsigned rank, pattern p) {
  if (p == pattern::pairs && rank % 2 == 0) return rank + 1;
  if (p == pattern::many_to_one && rank != 1) return 1;
  return std::nullopt;
}

// What those who ask do: send as many requests as they may, or one when the last is answered.
enum class work { flood, ping };

// Rank 0, and through it the others.
template <class Crew>
concept leads = pings<Crew> && asks<Crew> && requires(Crew& crew, pattern p, work w) {
  crew.form(p, w);  // returns when the others are at it; requests go where this pattern has them go
  { crew.ranks() } -> std::convertible_to<unsigned>;
  // Enough requests for windows to be full all the time: with one who answers.
  { crew.steady_length() } -> std::convertible_to<std::uint64_t>;
};

template <leads Crew, probe::stages Stage, class Sink>
class validation {
 public:
  validation(Crew& crew, const Stage& stage, Sink& sink, const thoroughness& how)
      : crew_(crew), stage_(stage), sink_(sink), how_(how) {}

  void take() {
    sink_.note("ranks", std::to_string(crew_.ranks()));
    for (const pattern p :
         {pattern::alone, pattern::pairs, pattern::one_to_many, pattern::many_to_one})
      take(p);
    crew_.form(pattern::alone, work::ping);
  }

 private:
  void take(pattern p) {
    const std::string name = std::string("validate/") + name_of(p);
    crew_.form(p, work::flood);
    const std::uint64_t several = p == pattern::one_to_many ? crew_.ranks() - 1 : 1;
    const std::uint64_t requests = several * crew_.steady_length();
    take_samples(sink_, how_.samples, name + "/g",
                 [&] { return probe::steady_issue(crew_, stage_, requests, 0); });
    crew_.form(p, work::ping);
    const double once = probe::rtt(crew_, stage_, several);
    const std::uint64_t trips = several * how_.count_for(several * once, 50);
    take_samples(sink_, how_.samples, name + "/rtt",
                 [&] { return probe::rtt(crew_, stage_, trips); });
    if (!crew_.intact()) sink_.lost(name);
  }

  Crew& crew_;
  const Stage& stage_;
  Sink& sink_;
  thoroughness how_;
};

}  // namespace calib
