// Measures how LogP holds in a job of several processes (logp/multi_rank.hpp): the gap and the
// round trip of rank 0 while the others follow a traffic pattern, with the same load as rank 0:
// floods beside its flood, single requests beside its round trips. They continue as long as rank 0
// measures, so that every sample has the full load.
//
// Reported under these names, with PATTERN alone, pairs, one_to_many or many_to_one, and the note
// `ranks`, the number of processes:
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

// The rank to which a rank other than 0 sends its requests; nothing: it only replies. In pairs an
// even rank sends to the next one; in many_to_one all send to rank 1.
constexpr std::optional<unsigned> target_of(unsigned rank, pattern p) {
  if (p == pattern::pairs && rank % 2 == 0) return rank + 1;
  if (p == pattern::many_to_one && rank != 1) return 1;
  return std::nullopt;
}

// What requesters do: fill their window, or send one request after the reply to the previous one.
enum class traffic { flood, ping };

// Rank 0, which also controls the others.
template <class Layer>
concept multi_rank_layer = ping_layer<Layer> && request_layer<Layer> &&
    requires(Layer& layer, pattern p, traffic load) {
  // Directs the requests of this rank and of the others; returns when the others have started.
  layer.set_pattern(p, load);
  { layer.ranks() } -> std::convertible_to<unsigned>;
  // Requests to one responder that keep the window full.
  { layer.steady_length() } -> std::convertible_to<std::uint64_t>;
};

template <multi_rank_layer Layer, probe::processor_like Processor, class Sink>
class multi_rank_probe {
 public:
  multi_rank_probe(Layer& layer, const Processor& cpu, Sink& sink, const sample_plan& plan)
      : layer_(layer), cpu_(cpu), sink_(sink), plan_(plan) {}

  void measure() {
    sink_.note("ranks", std::to_string(layer_.ranks()));
    for (const pattern p :
         {pattern::alone, pattern::pairs, pattern::one_to_many, pattern::many_to_one})
      measure_pattern(p);
    layer_.set_pattern(pattern::alone, traffic::ping);
  }

 private:
  void measure_pattern(pattern p) {
    const std::string name = std::string("validate/") + name_of(p);
    layer_.set_pattern(p, traffic::flood);
    const std::uint64_t peers = p == pattern::one_to_many ? layer_.ranks() - 1 : 1;
    const std::uint64_t requests = peers * layer_.steady_length();
    take_samples(sink_, plan_.samples, name + "/g",
                 [&] { return probe::steady_issue(layer_, cpu_, requests, requests, 0); });
    layer_.set_pattern(p, traffic::ping);
    const double rtt_ns = probe::rtt(layer_, cpu_, peers);
    const std::uint64_t trips = peers * plan_.count_for(peers * rtt_ns, 50);
    take_samples(sink_, plan_.samples, name + "/rtt",
                 [&] { return probe::rtt(layer_, cpu_, trips); });
    if (!layer_.intact()) sink_.report_loss(name);
  }

  Layer& layer_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
};

}  // namespace calib
