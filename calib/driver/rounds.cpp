#include <calib/driver/rounds.hpp>

#include <calib/driver/catalogue.hpp>
#include <calib/driver/child.hpp>
#include <calib/driver/subject.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace calib {
namespace {

using std::chrono::steady_clock;

constexpr unsigned deadline = 120;  // seconds of one launch, or as many as it has samples
constexpr unsigned patience = 2;    // failures after which a way is given up
// Variants up to so many times the best one stay in the race. A limit keeps more of them: which is
// best may change with where the hypervisor puts the CPUs.
constexpr double promising = 1.3;
constexpr double promising_limit = 2;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

// A way still in the race, and what it need not measure any more.
struct contender {
  way how;
  std::vector<std::string> skip;  // PROBE:VARIANT as the program itself names it
  unsigned failures = 0;
  bool gone = false;
  double seconds = 0;  // of its last launch
};

// The name by which the program knows a variant: without the way's own.
std::string own_name(const way& how, const std::string& variant) {
  return how.name.empty() ? variant : variant.substr(how.name.size() + 1);
}

// Fisher and Yates, written out: std::shuffle may give another order with another library.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

// Of all these transports, after which no round begins.
std::chrono::seconds time_for(const std::vector<std::string>& over,
                              std::chrono::seconds transport::*of_one) {
  std::chrono::seconds out{0};
  for (const transport& one : transports())
    if (std::ranges::find(over, one.name) != over.end()) out += one.*of_one;
  return out;
}

class taking_turns {
 public:
  taking_turns(const std::vector<way>& ways, const plan& plan, const watcher& watch)
      : plan_(plan), watch_(watch), random_(plan.seed) {
    for (const way& how : ways) contenders_.push_back({how, {}});
  }

  // False: stopped; or a launch of a job failed, whose ranks are not in step any more.
  bool round(unsigned number, campaign& into) {
    std::vector<std::size_t> order(contenders_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order, random_);
    std::vector<std::pair<std::size_t, launch>> taken;
    for (const std::size_t i : order) {
      if (contenders_[i].gone || rests(number, contenders_[i].how.who)) continue;
      if (stop_asked()) return false;
      const auto start = steady_clock::now();
      launch result = turn(number, contenders_[i]);
      contenders_[i].seconds = seconds_since(start);
      if (stop_asked()) return false;
      if (!result.fault.empty() && ++contenders_[i].failures == patience)
        contenders_[i].gone = true;
      ++launches_;
      taken.emplace_back(i, result);
      into.launches.push_back(std::move(result));
      if (contenders_[i].how.in_own_job && contenders_[i].failures > 0) return false;
    }
    if (number == 0) choose(taken);
    begun_ = steady_clock::now();
    return true;
  }

  // In seconds, as the last launches were of those whose turn it is.
  [[nodiscard]] double round_takes(unsigned number) const {
    double out = 0;
    for (const contender& one : contenders_)
      if (!one.gone && !rests(number, one.how.who)) out += one.seconds;
    return out;
  }

 private:
  launch turn(unsigned number, const contender& who) {
    const auto show = [&](const std::string& probe, const std::string&) {
      const double rest = left(number);
      watch_({number, plan_.most, name_of(who.how.who), probe, done(rest), rest});
    };
    show("", "");
    std::vector<std::string> arguments = {"--samples", std::to_string(samples(number, who.how))};
    if (!plan_.bytes.empty()) {
      arguments.emplace_back("--bytes");
      std::string sizes;
      for (const std::size_t bytes : plan_.bytes)
        sizes += format("{}{}", sizes.empty() ? "" : ",", bytes);
      arguments.push_back(std::move(sizes));
    }
    for (const std::string& skipped : who.skip) {
      arguments.emplace_back("--skip");
      arguments.push_back(skipped);
    }
    const std::chrono::seconds enough{std::max(deadline, samples(number, who.how))};
    launch result = run(who.how, arguments, enough, show);
    result.round = number;
    return result;
  }

  // Never fewer than five only because each lasts longer.
  [[nodiscard]] unsigned samples(unsigned number, const way& how) const {
    const unsigned all = number == 0 ? plan_.trial_samples : plan_.samples;
    return std::min(all, std::max(5U, all / how.part));
  }

  [[nodiscard]] bool rests(unsigned number, const carrier& who) const {
    return plan_.peer_rounds != 0 && number > plan_.peer_rounds && !is_ours(who) && !is_limit(who);
  }

  // By time, as soon as it is known what is left of it.
  [[nodiscard]] double done(double left) const {
    const double gone = seconds_since(start_);
    if (left >= 0) return gone / std::max(gone + left, 1e-9);
    return launches_ / static_cast<double>(contenders_.size() * (plan_.most + 1));
  }

  // It may end by the number of rounds, or by the clock once there are enough of them.
  [[nodiscard]] double left(unsigned number) const {
    if (number < 2) return -1;
    double most = -seconds_since(begun_);
    double least = 0;
    for (unsigned round = number; round <= plan_.most; ++round) {
      most += round_takes(round);
      if (round <= plan_.least) least = most;
    }
    const double clock = static_cast<double>(plan_.time.count()) - seconds_since(start_);
    return std::max(std::min(most, std::max(least, clock)), 0.0);
  }

  // After the trial: only what came near the best of its layer and probe goes on.
  void choose(const std::vector<std::pair<std::size_t, launch>>& trial) {
    std::map<std::pair<carrier, std::string>, double> best;
    for (const auto& [i, result] : trial) {
      if (!result.fault.empty()) continue;  // it tells nothing
      for (const series& s : result.measured) {
        const auto at = best.try_emplace({result.who, s.probe}, s.median).first;
        at->second = std::min(at->second, s.median);
      }
    }
    for (const auto& [i, result] : trial) {
      if (!result.fault.empty()) continue;  // `patience` decides
      std::size_t left = 0;
      const double enough = is_limit(result.who) ? promising_limit : promising;
      for (const series& s : result.measured) {
        if (s.median <= enough * best[{result.who, s.probe}])
          ++left;
        else
          contenders_[i].skip.push_back(s.probe + ':' + own_name(contenders_[i].how, s.variant));
      }
      if (left == 0) contenders_[i].gone = true;
    }
  }

  plan plan_;
  watcher watch_;
  std::mt19937_64 random_;
  std::vector<contender> contenders_;
  double launches_ = 0;
  const steady_clock::time_point start_ = steady_clock::now();
  steady_clock::time_point begun_ = start_;  // this round
};

}  // namespace

plan quick_plan(std::vector<std::string> over) {
  const auto time = time_for(over, &transport::quick);
  return {30, 8, 6, 12, time, 0, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, std::move(over)};
}
plan full_plan(std::vector<std::string> over) {
  const auto time = time_for(over, &transport::full);
  return {60, 12, 10, 40, time, 0, {std::begin(bulk_sizes), std::end(bulk_sizes)}, std::move(over)};
}

campaign measure(const std::vector<way>& ways, const plan& plan, const watcher& watch,
                 const std::function<bool(const campaign&)>& enough) {
  campaign out;
  taking_turns turns(ways, plan, watch);
  const auto start = steady_clock::now();
  if (plan.trial_samples > 0) out.complete = turns.round(0, out);
  while (out.complete && out.rounds < plan.most) {
    out.complete = turns.round(out.rounds + 1, out);
    if (!out.complete) break;
    ++out.rounds;
    if (out.rounds < plan.least) continue;
    const std::chrono::duration<double> gone = steady_clock::now() - start;
    if (gone.count() + turns.round_takes(out.rounds + 1) > static_cast<double>(plan.time.count()) ||
        enough(out))
      break;
  }
  return out;
}

}  // namespace calib
