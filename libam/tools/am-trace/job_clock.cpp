#include <libam/tools/am-trace/job_clock.hpp>

#include <libam/base/format.hpp>
#include <libam/tools/am-trace/text_file.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

namespace am::detail::traces {

void job_clock::learn(std::vector<trace_file>& files, const std::string& folder) {
  find_hosts(files);
  for (host& one : hosts_) find_rate(one, folder);
  if (hosts_.size() > 1) compare(folder);
  double start = std::numeric_limits<double>::max();
  for (const host& one : hosts_)
    for (const trace_file* file : one.files)
      start = std::min(start, one.time.at(file->head().first.ticks));
  for (host& one : hosts_) {
    one.time.set_start(start);
    for (trace_file* file : one.files) file->set_time(one.time);
  }
}

void job_clock::find_hosts(std::vector<trace_file>& files) {
  for (trace_file& file : files) {
    const auto is_same = [&](const host& one) { return one.head().host == file.head().host; };
    auto found = std::ranges::find_if(hosts_, is_same);
    if (found == hosts_.end()) found = hosts_.insert(hosts_.end(), host{});
    found->files.push_back(&file);
  }
}

// The ticks of a host are of one counter, so its ranks have one rate: that over the longest time
// for which one of them knows it.
void job_clock::find_rate(host& one, const std::string& folder) {
  const trace::header& some = one.head();
  const auto ticks_of = [](const trace_file& file) {
    return file.last_moment().ticks - file.head().first.ticks;
  };
  const trace_file* longest = one.files.front();
  std::uint64_t origin = some.first.ticks;
  for (const trace_file* file : one.files) {
    if (file->head().has_counter != some.has_counter)
      throw std::runtime_error(base::format("the ranks of {} had different clocks", folder));
    if (ticks_of(*file) > ticks_of(*longest)) longest = file;
    origin = std::min(origin, file->head().first.ticks);
  }
  const auto known_ns = static_cast<double>(longest->last_moment().ns - longest->head().first.ns);
  if (some.has_counter == 0) {
    one.time = host_time(origin, 1, known_ns);
    return;
  }
  constexpr std::uint64_t shortest = 10'000;  // ticks
  if (ticks_of(*longest) < shortest)
    throw std::runtime_error(base::format(
        "the traces in {} are too short to tell how long a tick of the processor's counter is",
        folder));
  one.time = host_time(origin, known_ns / static_cast<double>(ticks_of(*longest)), known_ns);
}

job_clock::host& job_clock::host_of(am_rank rank, const std::string& folder) {
  for (host& one : hosts_)
    for (const trace_file* file : one.files)
      if (file->head().rank == rank) return one;
  throw std::runtime_error(
      base::format("{} has no trace of rank {}, with whose clock other hosts have compared theirs",
                   folder, rank));
}

void job_clock::compare(const std::string& folder) {
  struct comparison {
    host* of;
    trace::record what;
  };
  std::vector<comparison> all;
  for (host& one : hosts_)
    for (trace_file* file : one.files) {
      file->rewind();
      while (const trace::record* next = file->next())
        if (next->type() == trace::kind::clock) all.push_back({&one, *next});
    }
  const am_rank reference = all.empty() ? hosts_.front().head().rank : all.front().what.peer;
  const host& there = host_of(reference, folder);
  for (const auto& [of, what] : all)
    if (what.peer == reference)
      of->pings.push_back({what.handler, of->time.own(what.begin), of->time.own(what.end()),
                           there.time.own(trace::wide_value(what))});
  for (host& one : hosts_) {
    if (&one == &there) continue;
    one.time.compare(one.pings, there.time);
    if (one.time.offset().measurements() == 0)
      throw std::runtime_error(base::format(
          "the clock of {} (rank {}) was not compared with that of rank {}: times of the two "
          "cannot be put together",
          one.head().host_name, one.head().rank, reference));
    describe(one, reference);
  }
}

void job_clock::describe(const host& one, am_rank reference) {
  const host_offset& offset = one.time.offset();
  double widest = 0;
  for (const trace_file* file : one.files)
    widest = std::max(widest, offset.widest(one.time.own(file->head().first.ticks),
                                            one.time.own(file->last_moment().ticks)));
  bound_ = std::max(bound_, widest);
  std::string line =
      base::format("clock of {} (first rank {}) against rank {}: ", one.head().host_name,
                   one.head().rank, reference);
  const double ppm = 1e6;
  if (offset.was_set())
    line += "not known, its measurements contradict each other: one was set, or stood still";
  else if (offset.measurements() == 1)
    base::append(line, "known to {}, measured once, for a drift of {:.0f} ppm at most",
                 time_text(widest), offset.drift().half() * ppm);
  else
    base::append(line, "known to {}, measured {} times, drift {:.3f} ppm", time_text(widest),
                 offset.measurements(), offset.drift().middle() * ppm);
  lines_.push_back(std::move(line));
}

}  // namespace am::detail::traces
