#include <libam/tools/am-trace/states.hpp>

#include <libam/base/format.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

namespace am::detail::traces {
namespace {

using trace::kind;

struct window {
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool has(double time) const noexcept { return time >= begin && time <= end; }
};

// The time of one rank, from its events in the order of their ends. What lies in a wait comes
// before the wait itself, and is kept until then.
class rank_time {
 public:
  explicit rank_time(const window& within) : within_(within) {}

  // Of one that lasts longer than the window the part in it counts.
  void add(event one) {
    if (one.end < within_.begin || one.begin > within_.end) return;
    one.begin = std::max(one.begin, within_.begin);
    one.end = std::min(one.end, within_.end);
    first_ = seen_ ? std::min(first_, one.begin) : one.begin;
    last_ = seen_ ? std::max(last_, one.end) : one.end;
    seen_ = true;
    if (is_come(one.type())) ++out_.messages;
    if (one.type() == kind::computed)
      add_computed(static_cast<double>(trace::wide_value(*one.what)));
    else if (one.type() == kind::wait)
      add_wait(one);
    else
      inner_.push_back(one);
  }
  void add(const message& one) {
    if (within_.has(one.come.begin)) arrived_.push_back(one);
  }

  rank_states result() {
    settle(inner_.begin(), inner_.end());
    rank_states out = out_;
    out.elapsed = seen_ ? last_ - first_ : 0;
    double waiting = 0, handling = 0;
    for (const wait& one : waits_) {
      const delays parts = delays_of(one);
      waiting += one.end - one.begin;
      handling += time_in(one.handlers, one.begin, one.end);
      out.logical += parts.logical;
      out.physical += parts.physical;
      out.longest = std::max(out.longest, parts.logical);
      if (parts.logical > 0) ++out.delayed;
    }
    out.user = computed_ ? computed_->last - computed_->first
                         : std::max(out.elapsed - waiting - out.overhead + handling, 0.0);
    out.overhead = out.elapsed - out.user - out.logical - out.physical;
    return out;
  }

 private:
  struct interval {
    double begin;
    double end;
  };
  struct wait {
    double begin;
    double end;
    std::vector<interval> handlers;  // of the program, that ran in it
    std::optional<message> last;     // that came in it
  };
  struct delays {
    double logical = 0;
    double physical = 0;
  };

  static bool is_of_program(const event& one) {
    const std::string_view name = subject_of(one);
    return !name.starts_with("am.") && !name.starts_with("am::");
  }
  static bool is_handler(kind one) noexcept { return is_come(one) || one == kind::on_end; }

  void add_computed(double until_now) {
    if (!computed_) computed_.emplace(until_now, until_now);
    computed_->last = until_now;
  }

  // Outside of waits.
  template <class Iterator>
  void settle(Iterator from, Iterator to) {
    for (; from != to; ++from) {
      const kind type = from->type();
      const bool is_overhead =
          type == kind::pause || is_sent(type) || (is_handler(type) && !is_of_program(*from));
      if (is_overhead) out_.overhead += from->end - from->begin;
      if (is_of_program(*from) && type == kind::carried) out_.overhead -= from->end - from->begin;
    }
  }

  // The program's waits are not for answers to the clocks' pings.
  static bool may_end(const event& wait, const message& one) {
    return subject_of(wait) == "a comparison of clocks" || subject_of(one.come) != "am.clock_pong";
  }
  void add_wait(const event& one) {
    wait made{one.begin, one.end, {}, std::nullopt};
    if (subject_of(one) == "a request") ++out_.retries;
    const auto inside = [&](const event& each) { return each.begin >= one.begin; };
    const auto first = std::ranges::find_if(inner_, inside);
    settle(inner_.begin(), first);
    for (auto at = first; at != inner_.end(); ++at)
      if ((is_handler(at->type()) || at->type() == kind::carried) && is_of_program(*at))
        made.handlers.push_back({at->begin, at->end});
    inner_.clear();
    for (const message& each : arrived_)
      if (each.come.begin >= one.begin && may_end(one, each)) made.last = each;
    arrived_.clear();
    // Waits that were in this one.
    while (!waits_.empty() && waits_.back().begin >= one.begin) {
      const wait& inner = waits_.back();
      made.handlers.insert(made.handlers.end(), inner.handlers.begin(), inner.handlers.end());
      if (!made.last) made.last = inner.last;
      waits_.pop_back();
    }
    waits_.push_back(made);
  }

  // How long handlers ran between these times.
  static double time_in(const std::vector<interval>& handlers, double from, double to) {
    double sum = 0;
    for (const interval& one : handlers)
      sum += std::max(std::min(one.end, to) - std::max(one.begin, from), 0.0);
    return sum;
  }

  // Without the handlers that ran meanwhile, which are computation.
  static delays delays_of(const wait& one) {
    if (!one.last) return {};
    const double sent = std::clamp(one.last->sent.begin, one.begin, one.end);
    const double come = std::clamp(one.last->come.begin, sent, one.end);
    return {sent - one.begin - time_in(one.handlers, one.begin, sent),
            come - sent - time_in(one.handlers, sent, come)};
  }

  struct measured {
    measured(double from, double to) : first(from), last(to) {}
    double first;
    double last;
  };

  const window within_;
  rank_states out_;
  std::optional<measured> computed_;  // of AM_DILATE
  bool seen_ = false;
  double first_ = 0;
  double last_ = 0;
  std::vector<event> inner_;      // since the last wait
  std::vector<message> arrived_;  // since the last wait
  std::vector<wait> waits_;       // none is in another one
};

// By rank; nothing: it has no such span.
std::vector<std::optional<window>> windows_of(job_trace& from, const std::string& name) {
  std::vector<std::optional<window>> out(from.ranks());
  std::set<std::string> others;
  for (trace_file& file : from.files())
    from.each_of(file, [&](const event& one) {
      if (one.type() != kind::span) return;
      if (subject_of(one) != name) return void(others.emplace(subject_of(one)));
      std::optional<window>& of = out[one.rank()];
      of = of ? window{std::min(of->begin, one.begin), std::max(of->end, one.end)}
              : window{one.begin, one.end};
    });
  if (std::ranges::any_of(out, [](const auto& one) { return one.has_value(); })) return out;
  std::string found;
  for (const std::string& one : others) found += (found.empty() ? "" : ", ") + one;
  throw std::runtime_error(
      base::format("there is no span {}: {}", name,
                   found.empty() ? "the trace has none" : "the trace has " + found));
}

}  // namespace

std::vector<rank_states> states_of(job_trace& from, const std::string& within) {
  std::vector<std::optional<window>> windows(from.ranks(), window{});
  if (!within.empty()) windows = windows_of(from, within);
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<rank_time> ranks;
  for (const auto& one : windows) ranks.emplace_back(one.value_or(window{never, -never}));
  pairing messages;
  from.each([&](const event& one) {
    // A message first: the wait that it ended comes later.
    messages.add(one, [&](const message& whole) { ranks[whole.come.rank()].add(whole); });
    ranks[one.rank()].add(one);
  });
  std::vector<rank_states> out;
  for (rank_time& one : ranks) out.push_back(one.result());
  // When a call was tried in vain is not known.
  if (within.empty())
    for (const trace_file& file : from.files())
      out[file.head().rank].retries += file.head().retries;
  return out;
}

std::size_t ranks_with_time(const std::vector<rank_states>& all) {
  const auto has_time = [](const rank_states& one) { return one.elapsed > 0; };
  return static_cast<std::size_t>(std::ranges::count_if(all, has_time));
}

rank_states mean_of(const std::vector<rank_states>& all) {
  rank_states out;
  const auto count = static_cast<double>(ranks_with_time(all));
  for (const rank_states& one : all) {
    if (one.elapsed == 0) continue;
    out.elapsed += one.elapsed;
    out.user += one.user;
    out.logical += one.logical;
    out.physical += one.physical;
    out.overhead += one.overhead;
    out.longest = std::max(out.longest, one.longest);
    out.messages += one.messages;
    out.delayed += one.delayed;
    out.retries += one.retries;
  }
  for (double* each : {&out.elapsed, &out.user, &out.logical, &out.physical, &out.overhead})
    *each /= std::max(count, 1.0);
  return out;
}

}  // namespace am::detail::traces
