// A rank as a chain of statements. What it waited for is not in it: a simulation finds that anew.
#include <libam/tools/am-trace/merge.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::traces {
namespace {

using trace::kind;

constexpr unsigned words_bytes = 32;  // of a message beside its data

// The outermost waits of a rank, in order. Waits end before those that they are in.
std::vector<std::pair<double, double>> waits_of(job_trace& from, trace_file& rank) {
  std::vector<std::pair<double, double>> out;
  from.each_of(rank, [&](const event& one) {
    if (one.type() != kind::wait) return;
    while (!out.empty() && out.back().first >= one.begin) out.pop_back();
    out.emplace_back(one.begin, one.end);
  });
  return out;
}

class chain {
 public:
  chain(text_file& to, std::vector<std::pair<double, double>> waits)
      : to_(to), waits_(std::move(waits)) {}

  void add_message(const event& one) {
    const bool leaves = is_sent(one.type());
    compute_until(one.begin);
    start_statement();
    to_.add("{} {}b {} {} tag {}\n", leaves ? "send" : "recv", one.what->bytes + words_bytes,
            leaves ? "to" : "from", one.what->peer, class_of(one.type()));
    follow();
    // What a handler does is computation; what sending costs is the simulation's.
    now_ = std::max(now_, leaves ? one.end : one.begin);
  }
  void compute_until(double then) {
    double length = 0;
    while (now_ < then) {
      while (at_ < waits_.size() && waits_[at_].second <= now_) ++at_;
      const bool waits = at_ < waits_.size() && waits_[at_].first < then;
      if (!waits) {
        length += then - now_;
        now_ = then;
      } else if (waits_[at_].first > now_) {
        length += waits_[at_].first - now_;
        now_ = waits_[at_].first;
      } else {
        now_ = std::min(then, waits_[at_].second);
      }
    }
    if (length < 1) return;
    start_statement();
    to_.add("calc {:.0f}\n", length);
    follow();
  }

 private:
  void start_statement() { to_.add("l{}: ", ++statements_); }
  void follow() {
    if (statements_ > 1) to_.add("l{} requires l{}\n", statements_, statements_ - 1);
  }

  text_file& to_;
  std::vector<std::pair<double, double>> waits_;
  std::size_t at_ = 0;
  double now_ = 0;
  std::uint64_t statements_ = 0;
};

}  // namespace

// A handler's record comes behind those of the answers that it sent: it received before them.
void write_goal(job_trace& from, text_file& to) {
  to.add("num_ranks {}\n", from.ranks());
  for (trace_file& file : from.files()) {
    to.add("rank {} {{\n", file.head().rank);
    chain statements(to, waits_of(from, file));
    std::vector<event> answers;
    from.each_of(file, [&](const event& one) {
      if (is_sent(one.type())) return answers.push_back(one);
      if (!is_come(one.type())) return;
      const auto first_inside =
          std::ranges::find_if(answers, [&](const event& sent) { return sent.begin >= one.begin; });
      for (auto at = answers.begin(); at != first_inside; ++at) statements.add_message(*at);
      statements.add_message(one);
      for (auto at = first_inside; at != answers.end(); ++at) statements.add_message(*at);
      answers.clear();
      statements.compute_until(one.end);
    });
    for (const event& one : answers) statements.add_message(one);
    to.add("}}\n");
  }
}

}  // namespace am::detail::traces
