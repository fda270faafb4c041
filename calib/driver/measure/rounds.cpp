#include <calib/driver/measure/rounds.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/launch/child_process.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace calib {
namespace {

using std::chrono::steady_clock;

constexpr unsigned max_failures = 2;  // one after the other, then a layer is launched no more
// Variants that take up to this many times as long as the best one are measured further. Of a limit
// more are kept: which one is best may change with the place of the CPUs under the hypervisor.
constexpr double keep_within = 1.3;
constexpr double keep_limit_within = 2;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

// What is launched in the rounds, and the variants that are measured no more.
struct candidate {
  launch_spec spec;
  std::vector<std::string> skip;  // PROBE:VARIANT, named as in the program
  unsigned failures = 0;
  bool dropped = false;
  double seconds = 0;  // of its last launch
};

// The name of a variant in the program: without that of the start method.
std::string program_variant(const launch_spec& spec, const std::string& variant) {
  return spec.name.empty() ? variant : variant.substr(spec.name.size() + 1);
}

// Fisher and Yates. Not std::shuffle, whose order may differ between libraries.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

class round_runner {
 public:
  round_runner(const std::vector<launch_spec>& specs, const plan& plan,
               const progress_callback& on_progress)
      : plan_(plan), on_progress_(on_progress), random_(plan.seed) {
    for (const launch_spec& spec : specs) candidates_.push_back({spec, {}});
  }

  // False: it was stopped, or a launch in our own job failed, after which its ranks would make
  // different launches.
  bool round(unsigned number, campaign& into) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      order.insert(order.end(), candidates_[i].spec.turns, i);
    shuffle(order, random_);
    std::vector<std::pair<std::size_t, launch>> taken;
    for (const std::size_t i : order) {
      if (candidates_[i].dropped || is_skipped(number, candidates_[i].spec.layer)) continue;
      if (stop_requested()) return false;
      const auto start = steady_clock::now();
      launch result = launch_one(number, candidates_[i]);
      candidates_[i].seconds = seconds_since(start);
      // What the launch had measured when it was stopped is kept: a launch may take minutes.
      const bool stopped = stop_requested();
      if (stopped && result.measured.empty()) return false;
      candidates_[i].failures = result.fault.empty() ? 0 : candidates_[i].failures + 1;
      if (candidates_[i].failures == max_failures) candidates_[i].dropped = true;
      ++launches_;
      taken.emplace_back(i, result);
      into.launches.push_back(std::move(result));
      if (stopped) return false;
      if (candidates_[i].spec.in_own_job && candidates_[i].failures > 0) return false;
    }
    if (number == 0) drop_slow_variants(taken);
    round_start_ = steady_clock::now();
    return true;
  }

  // What the round may take, by the last launches of those that take part in it.
  [[nodiscard]] double round_seconds(unsigned number) const {
    double out = 0;
    for (const candidate& one : candidates_)
      if (!one.dropped && !is_skipped(number, one.spec.layer)) out += seconds_of(one);
    return out;
  }

 private:
  launch launch_one(unsigned number, const candidate& one) {
    const auto show = [&](const std::string& probe, const std::string&) {
      const double rest = seconds_left(number);
      on_progress_(
          {number, plan_.max_rounds, name_of(one.spec.layer), probe, fraction_done(rest), rest});
    };
    show("", "");
    std::vector<std::string> arguments = {"--samples", std::to_string(samples(number, one.spec))};
    if (!plan_.bytes.empty()) {
      arguments.emplace_back("--bytes");
      std::string sizes;
      for (const std::size_t bytes : plan_.bytes)
        sizes += format("{}{}", sizes.empty() ? "" : ",", bytes);
      arguments.push_back(std::move(sizes));
    }
    for (const std::string& skipped : one.skip) {
      arguments.emplace_back("--skip");
      arguments.push_back(skipped);
    }
    const std::chrono::seconds enough{std::max(plan_.deadline, samples(number, one.spec))};
    launch result = run_program(one.spec, arguments, enough, show);
    result.round = number;
    return result;
  }

  // The divisor leaves at least five, or half of less than ten.
  [[nodiscard]] unsigned samples(unsigned number, const launch_spec& spec) const {
    const unsigned all = number == 0 ? plan_.trial_samples : plan_.samples;
    return std::max(std::min(5U, (all + 1) / 2), all / spec.sample_divisor);
  }

  [[nodiscard]] bool is_skipped(unsigned number, const measured_layer& layer) const {
    return plan_.peer_rounds != 0 && number > plan_.peer_rounds && is_peer(layer);
  }

  // By the time, once the time left is known; by the number of launches before.
  [[nodiscard]] double fraction_done(double left) const {
    const double passed = seconds_since(start_);
    if (left >= 0) return passed / std::max(passed + left, 1e-9);
    std::size_t turns = 0;  // in a round
    for (const candidate& one : candidates_) turns += one.spec.turns;
    return launches_ / static_cast<double>(turns * (plan_.max_rounds + 1));
  }

  // Of a round, by its last launch or by that of others.
  [[nodiscard]] double seconds_of(const candidate& one) const {
    return one.spec.turns *
           (one.seconds > 0 ? one.seconds : one.spec.expected_seconds * slowness());
  }
  // By how much launches have taken longer than expected; 0: that is not known.
  [[nodiscard]] double slowness() const {
    double taken = 0;
    double expected = 0;
    for (const candidate& one : candidates_) {
      if (one.spec.expected_seconds <= 0) return 0;
      if (one.seconds <= 0) continue;
      taken += one.seconds;
      expected += one.spec.expected_seconds;
    }
    return expected > 0 ? taken / expected : 0;
  }

  // At most: the measurement ends after max_rounds, or from min_rounds on at the time limit.
  [[nodiscard]] double seconds_left(unsigned number) const {
    if (number < 2 && slowness() <= 0) return -1;
    double most = -seconds_since(round_start_);
    double least = 0;
    for (unsigned round = number; round <= plan_.max_rounds; ++round) {
      most += round_seconds(round);
      if (round <= plan_.min_rounds) least = most;
    }
    const double clock = static_cast<double>(plan_.time_limit.count()) - seconds_since(start_);
    return std::max(std::min(most, std::max(least, clock)), 0.0);
  }

  // After the trial only variants near the best one of their layer and probe are kept.
  void drop_slow_variants(const std::vector<std::pair<std::size_t, launch>>& trial) {
    std::map<std::pair<measured_layer, std::string>, double> best;
    for (const auto& [i, result] : trial) {
      if (!result.fault.empty()) continue;  // it says nothing of the variants
      for (const series& s : result.measured) {
        const auto at = best.try_emplace({result.layer, s.probe}, s.median).first;
        at->second = std::min(at->second, s.median);
      }
    }
    for (const auto& [i, result] : trial) {
      if (!result.fault.empty()) continue;  // max_failures decides
      std::size_t left = 0;
      const double enough = is_limit(result.layer) ? keep_limit_within : keep_within;
      for (const series& s : result.measured) {
        if (s.median <= enough * best[{result.layer, s.probe}])
          ++left;
        else
          candidates_[i].skip.push_back(s.probe + ':' +
                                        program_variant(candidates_[i].spec, s.variant));
      }
      if (left == 0) candidates_[i].dropped = true;
    }
  }

  plan plan_;
  progress_callback on_progress_;
  std::mt19937_64 random_;
  std::vector<candidate> candidates_;
  double launches_ = 0;
  const steady_clock::time_point start_ = steady_clock::now();
  steady_clock::time_point round_start_ = start_;  // of the current round
};

}  // namespace

plan in_step(plan of) {
  of.min_rounds = of.max_rounds;
  of.trial_samples = 0;
  of.seed = 1;
  return of;
}

campaign measure(const std::vector<launch_spec>& specs, const plan& plan,
                 const progress_callback& on_progress,
                 const std::function<bool(const campaign&)>& enough) {
  campaign out;
  round_runner runner(specs, plan, on_progress);
  const auto start = steady_clock::now();
  if (plan.trial_samples > 0) out.complete = runner.round(0, out);
  while (out.complete && out.rounds < plan.max_rounds) {
    out.complete = runner.round(out.rounds + 1, out);
    if (!out.complete) break;
    ++out.rounds;
    if (out.rounds < plan.min_rounds) continue;
    const double next_end = seconds_since(start) + runner.round_seconds(out.rounds + 1);
    if (next_end > static_cast<double>(plan.time_limit.count()) || enough(out)) break;
  }
  return out;
}

}  // namespace calib
