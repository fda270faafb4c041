#include <libam/tools/am-trace/merge.hpp>

#include <algorithm>
#include <cmath>

namespace am::detail::traces {
namespace {

using trace::kind;

constexpr double ns_per_us = 1000;

void add_processes(const job_trace& from, text_file& to) {
  for (const trace_file& one : from.files()) {
    const trace::header& head = one.head();
    to.add(
        R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"rank {} of {}: {}, pid {} on {}"}}}},)"
        "\n",
        head.rank, head.rank, head.ranks, json_text(head.program), head.pid,
        json_text(head.host_name));
    to.add(
        R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}},)"
        "\n",
        head.rank, head.rank);
  }
}

std::string title_of(const event& one) {
  const std::string_view subject = subject_of(one);
  const std::string_view type = text_of(one.type());
  if (subject.empty()) return std::string(type);
  if (one.type() == kind::span) return json_text(subject);
  return base::format("{} {}", type, json_text(subject));
}

std::string arguments_of(const event& one) {
  const trace::record& what = *one.what;
  const kind type = one.type();
  if (is_sent(type) || is_come(type))
    return base::format(R"("{}":{},"bytes":{},"number":{})", is_sent(type) ? "to" : "from",
                        what.peer, what.bytes, what.sequence);
  if (type == kind::collective) return base::format(R"("bytes":{})", what.bytes);
  if (type == kind::on_end || type == kind::carried || type == kind::get)
    return base::format(R"("from":{},"bytes":{})", what.peer, what.bytes);
  if (type == kind::clock) return base::format(R"("with":{})", what.peer);
  if (type == kind::poll) return base::format(R"("messages":{})", what.bytes);
  return {};
}

// Whole nanoseconds, so that a slice that ends with the one that it lies in does so for each
// reader.
double us_of(double ns) { return std::round(ns) / 1000; }

// The arrow's ends lie in the slices of the same rank and time.
void add_arrow(const event& one, text_file& to) {
  const bool leaves = is_sent(one.type());
  const auto [from, target, which] = route_of(one);
  const auto name = static_cast<kind>(static_cast<unsigned>(kind::request) + which);
  to.add(
      R"({{"ph":"{}","cat":"message","name":"{}",{}"id":"{}.{}.{}.{}","pid":{},"tid":0,"ts":{:.3f}}},)"
      "\n",
      leaves ? 's' : 'f', text_of(name), leaves ? "" : R"("bp":"e",)", from, target, which,
      one.what->sequence, one.rank(), us_of(one.begin));
}

}  // namespace

// A slice without a length would not be drawn, and have no arrow.
void write_json(job_trace& from, const whole_messages& whole, text_file& to) {
  to.add(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"clock_bound_ns\":{:.0f}}},\"traceEvents\":["
      "\n",
      from.clock().bound());
  add_processes(from, to);
  from.each([&](const event& one) {
    const double begin = us_of(one.begin), shortest = us_of(1);
    to.add(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":0,"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}},)"
        "\n",
        text_of(one.type()), title_of(one), one.rank(), begin,
        std::max(us_of(one.end) - begin, shortest), arguments_of(one));
    if ((is_sent(one.type()) || is_come(one.type())) && whole.has(one)) add_arrow(one, to);
  });
  // JSON has no comma behind the last one.
  to.add(R"({{"ph":"M","name":"trace","pid":0,"tid":0,"args":{{}}}})"
         "\n]}}\n");
}

}  // namespace am::detail::traces
