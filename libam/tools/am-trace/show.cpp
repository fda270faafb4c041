#include <libam/tools/am-trace/show.hpp>

#include <libam/base/format.hpp>
#include <libam/tools/am-trace/pairing.hpp>
#include <libam/tools/am-trace/text_file.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace am::detail::traces {
namespace {

using trace::kind;

struct rank_use {
  double first = std::numeric_limits<double>::max();
  double last = 0;
  // Waits end before those that they are in.
  void add_wait(double begin, double end) {
    while (!waits.empty() && waits.back().first >= begin) waits.pop_back();
    waits.emplace_back(begin, end);
  }
  [[nodiscard]] double waiting() const {
    double sum = 0;
    for (const auto& [begin, end] : waits) sum += end - begin;
    return sum;
  }

  double asleep = 0;
  double handling = 0;
  std::vector<std::pair<double, double>> waits;  // none is in another one
  std::uint64_t sent = 0;
  std::uint64_t come = 0;
  std::uint64_t bytes = 0;
};

struct times {
  std::uint64_t count = 0;
  double sum = 0;
  double longest = 0;
  am_rank at = 0;  // the longest one
  double when = 0;
  std::map<am_rank, double> of_rank;

  void add(double length, const event& one) {
    ++count;
    sum += length;
    of_rank[one.rank()] += length;
    if (length < longest) return;
    longest = length;
    at = one.rank();
    when = one.begin;
  }
};

struct route {
  double least = std::numeric_limits<double>::max();
  double sum = 0;
  double longest = 0;
  std::uint64_t count = 0;
};

// Names of C++ differ at their ends.
std::string shortened(const std::string& name) {
  constexpr std::size_t most = 26;
  return name.size() <= most ? name : "..." + name.substr(name.size() - (most - 3));
}

class summary {
 public:
  explicit summary(am_rank ranks) : uses_(ranks) {}

  void add(const event& one) {
    rank_use& of = uses_[one.rank()];
    const double length = one.end - one.begin;
    const kind type = one.type();
    of.first = std::min(of.first, one.begin);
    of.last = std::max(of.last, one.end);
    if (type == kind::wait) of.add_wait(one.begin, one.end);
    if (type == kind::sleep) of.asleep += length;
    if (is_sent(type)) ++of.sent, of.bytes += one.what->bytes;
    if (is_come(type)) ++of.come;
    if (is_come(type) || type == kind::on_end) of.handling += length;
    const std::string_view subject = subject_of(one);
    if (subject.empty() || is_sent(type)) return;
    (type == kind::wait         ? waits_
     : type == kind::span       ? spans_
     : type == kind::collective ? collectives_
                                : handlers_)[std::string(subject)]
        .add(length, one);
  }
  void add(const message& one) {
    route& of = routes_[{one.sent.rank(), one.come.rank()}];
    const double flight = one.flight();
    of.least = std::min(of.least, flight);
    of.longest = std::max(of.longest, flight);
    of.sum += flight;
    ++of.count;
  }

  std::string text(std::size_t most_rows) const {
    std::string out = ranks_text();
    add_table(out, "spans", spans_, most_rows);
    add_table(out, "collectives", collectives_, most_rows);
    add_table(out, "handlers", handlers_, most_rows);
    add_table(out, "calls that waited", waits_, most_rows);
    add_routes(out, most_rows);
    return out;
  }

 private:
  std::string ranks_text() const {
    std::string out =
        base::format("{:>5} {:>11} {:>8} {:>8} {:>8} {:>11} {:>11} {:>11}\n", "rank", "time",
                     "waits", "asleep", "handlers", "sent", "received", "KB sent");
    for (am_rank rank = 0; rank < uses_.size(); ++rank) {
      const rank_use& of = uses_[rank];
      if (of.last <= of.first) continue;
      const double whole = of.last - of.first;
      const auto share = [&](double part) { return base::format("{:.1f} %", 100 * part / whole); };
      base::append(out, "{:>5} {:>11} {:>8} {:>8} {:>8} {:>11} {:>11} {:>11.1f}\n", rank,
                   time_text(whole), share(of.waiting()), share(of.asleep), share(of.handling),
                   of.sent, of.come, static_cast<double>(of.bytes) / 1000);
    }
    return out;
  }
  static void add_table(std::string& out, std::string_view title,
                        const std::map<std::string, times>& all, std::size_t most_rows) {
    std::vector<std::pair<std::string, times>> rows(all.begin(), all.end());
    std::ranges::sort(rows,
                      [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
    if (rows.empty()) return;
    base::append(out, "\n{:<26} {:>8} {:>10} {:>10} {:>10} {:<16} {}\n", title, "count", "all",
                 "mean", "longest", "at rank, time", "most at rank");
    for (const auto& [name, of] : rows) {
      if (most_rows-- == 0) break;
      const auto most =
          std::ranges::max_element(of.of_rank, {}, &std::pair<const am_rank, double>::second);
      base::append(out, "{:<26} {:>8} {:>10} {:>10} {:>10} {:<16} {}, {}\n", shortened(name),
                   of.count, time_text(of.sum), time_text(of.sum / static_cast<double>(of.count)),
                   time_text(of.longest), base::format("{}, {}", of.at, time_text(of.when)),
                   most->first, time_text(most->second));
    }
  }
  void add_routes(std::string& out, std::size_t most_rows) const {
    std::vector<std::pair<std::pair<am_rank, am_rank>, route>> rows(routes_.begin(), routes_.end());
    std::ranges::sort(rows,
                      [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
    if (rows.empty()) return;
    base::append(out, "\n{:<32} {:>8} {:>10} {:>10} {:>10}\n", "messages, from send to handler",
                 "count", "least", "mean", "longest");
    for (const auto& [key, of] : rows) {
      if (most_rows-- == 0) break;
      base::append(out, "{:<32} {:>8} {:>10} {:>10} {:>10}\n",
                   base::format("{} to {}", key.first, key.second), of.count, time_text(of.least),
                   time_text(of.sum / static_cast<double>(of.count)), time_text(of.longest));
    }
  }

  std::vector<rank_use> uses_;
  std::map<std::string, times> spans_;
  std::map<std::string, times> collectives_;
  std::map<std::string, times> handlers_;
  std::map<std::string, times> waits_;
  std::map<std::pair<am_rank, am_rank>, route> routes_;
};

}  // namespace

std::string summary_of(job_trace& from, std::size_t most_rows) {
  summary all(from.ranks());
  pairing messages;
  from.each([&](const event& one) {
    all.add(one);
    messages.add(one, [&](const message& whole) { all.add(whole); });
  });
  std::string out = all.text(most_rows);
  for (const trace_file& file : from.files())
    if (const trace::record* const wait = file.open_wait())
      base::append(out,
                   "\nrank {} is in {} since {}: no end of it is in the trace, which goes to {}\n",
                   file.head().rank, file.name(trace::name_of::call, wait->handler),
                   time_text(file.time().at(wait->begin)), time_text(file.time().at(wait->end())));
  for (const std::string& line : from.clock().lines()) base::append(out, "\n{}\n", line);
  for (const std::string& line : messages.remarks()) base::append(out, "\n{}\n", line);
  return out;
}

}  // namespace am::detail::traces
