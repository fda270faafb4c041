#include <libam/tools/am-trace/merge.hpp>

#include <libam/base/format.hpp>

#include <algorithm>
#include <cmath>

namespace am::detail::traces {
namespace {

using trace::kind;

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

void put_title(const event& one, text_file& to) {
  const std::string_view subject = subject_of(one);
  const bool is_named = !subject.empty();
  if (one.type() != kind::span || !is_named) to.put(text_of(one.type()));
  if (one.type() != kind::span && is_named) to.put(' ');
  to.put(json_text(subject));
}

void put_arguments(const event& one, text_file& to) {
  const trace::record& what = *one.what;
  const kind type = one.type();
  if (is_sent(type) || is_come(type))
    to.put(is_sent(type) ? R"("to":)" : R"("from":)", what.peer, R"(,"bytes":)", what.bytes,
           R"(,"number":)", what.sequence);
  if (type == kind::collective) to.put(R"("bytes":)", what.bytes);
  if (type == kind::on_end || type == kind::carried || type == kind::get)
    to.put(R"("from":)", what.peer, R"(,"bytes":)", what.bytes);
  if (type == kind::clock) to.put(R"("with":)", what.peer);
  if (type == kind::computed) to.put(R"("ns":)", trace::wide_value(what));
  if (type == kind::poll) to.put(R"("messages":)", what.bytes);
}

// Whole nanoseconds, so that a slice that ends with the one that it lies in does so for each
// reader.
fixed us_of(std::int64_t ns) { return {ns, 3}; }

// A slice without a length would not be drawn, and have no arrow.
void put_slice(const event& one, text_file& to) {
  const std::int64_t begin = nearest(one.begin), end = nearest(one.end);
  to.put(R"({"ph":"X","cat":")", text_of(one.type()), R"(","name":")");
  put_title(one, to);
  to.put(R"(","pid":)", one.rank(), R"(,"tid":0,"ts":)", us_of(begin), R"(,"dur":)",
         us_of(std::max<std::int64_t>(end - begin, 1)), R"(,"args":{)");
  put_arguments(one, to);
  to.put("}},\n");
}

// The arrow's ends lie in the slices of the same rank and time.
void put_arrow_end(const event& one, text_file& to) {
  const bool leaves = is_sent(one.type());
  const auto [from, target, which] = route_of(one);
  const auto name = static_cast<kind>(static_cast<unsigned>(kind::request) + which);
  to.put(R"({"ph":")", leaves ? 's' : 'f', R"(","cat":"message","name":")", text_of(name),
         leaves ? R"(","id":")" : R"(","bp":"e","id":")", from, '.', target, '.', which, '.',
         one.what->sequence, R"(","pid":)", one.rank(), R"(,"tid":0,"ts":)",
         us_of(nearest(one.begin)), "},\n");
}

}  // namespace

void write_json(job_trace& from, pairing& messages, text_file& to) {
  const double bound = from.clock().bound();
  to.add(R"({{"displayTimeUnit":"ns","otherData":{{"clock_bound_ns":{}}},"traceEvents":[)"
         "\n",
         std::isfinite(bound) ? base::format("{:.0f}", bound) : "null");
  add_processes(from, to);
  from.each([&](const event& one) {
    put_slice(one, to);
    messages.add(one, [&](const message& whole) {
      put_arrow_end(whole.sent, to);
      put_arrow_end(whole.come, to);
    });
  });
  // JSON has no comma behind the last one.
  to.put(R"({"ph":"M","name":"trace","pid":0,"tid":0,"args":{}})"
         "\n]}\n");
}

}  // namespace am::detail::traces
