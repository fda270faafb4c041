// A rank as a chain of statements. Waits are not in it, a simulation finds them anew; what handlers
// did in waits is.
#include <libam/tools/am-trace/merge.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::traces {
namespace {

using trace::kind;

constexpr std::uint64_t words_bytes = 32;  // of a message beside its data

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
  // The rank starts at `now`.
  chain(text_file& to, std::vector<std::pair<double, double>> waits, double now)
      : to_(to), waits_(std::move(waits)), now_(now) {}

  // What lies before it is computation, but for waits: then a message leaves, or has come.
  void add_message(const event& one) {
    compute_until(one.begin);
    const bool leaves = is_sent(one.type());
    start_statement();
    to_.put(leaves ? "send " : "recv ", one.what->bytes + words_bytes, leaves ? "b to " : "b from ",
            one.what->peer, " tag ", class_of(one.type()), '\n');
    follow();
    if (leaves) now_ = std::max(now_, one.end);  // what sending costs is the simulation's
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
    add_computation(length);
  }
  // A handler computes, also in a wait.
  void handle_until(double then) {
    if (then <= now_) return;
    add_computation(then - now_);
    now_ = then;
  }

 private:
  void add_computation(double length) {
    if (length < 1) return;
    start_statement();
    to_.put("calc ", static_cast<std::uint64_t>(nearest(length)), '\n');
    follow();
  }
  void start_statement() { to_.put('l', ++statements_, ": "); }
  void follow() {
    if (statements_ > 1) to_.put('l', statements_, " requires l", statements_ - 1, '\n');
  }

  text_file& to_;
  std::vector<std::pair<double, double>> waits_;
  std::size_t at_ = 0;
  double now_;
  std::uint64_t statements_ = 0;
};

// The statements of one rank. A handler's record comes behind those of what it sent: it received
// before that.
void add_rank(job_trace& from, trace_file& file, const whole_messages& whole, text_file& to) {
  chain statements(to, waits_of(from, file), from.start_of(file));
  std::vector<event> sent;  // since the last handler
  from.each_of(file, [&](const event& one) {
    const kind type = one.type();
    if (is_sent(type)) {
      if (whole.has(one)) sent.push_back(one);
      return;
    }
    if (!is_come(type) && type != kind::on_end) return;
    const auto inside =
        std::ranges::find_if(sent, [&](const event& each) { return each.begin >= one.begin; });
    for (auto at = sent.begin(); at != inside; ++at) statements.add_message(*at);
    if (type == kind::on_end || !whole.has(one))
      statements.compute_until(one.begin);
    else
      statements.add_message(one);
    for (auto at = inside; at != sent.end(); ++at) {
      statements.handle_until(at->begin);
      statements.add_message(*at);
    }
    statements.handle_until(one.end);
    sent.clear();
  });
  for (const event& one : sent) statements.add_message(one);
}

}  // namespace

void write_goal(job_trace& from, const whole_messages& whole, text_file& to) {
  to.add("num_ranks {}\n", from.ranks());
  auto next = from.files().begin();
  for (am_rank rank = 0; rank < from.ranks(); ++rank) {
    to.add("rank {} {{\n", rank);
    if (next != from.files().end() && next->head().rank == rank)
      add_rank(from, *next++, whole, to);
    else
      to.add("l1: calc 1\n");
    to.add("}}\n");
  }
}

}  // namespace am::detail::traces
