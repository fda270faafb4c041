// The traces of all ranks of a job, as one: events in the order in which they ended, by one clock.
#pragma once

#include <libam/tools/am-trace/job_clock.hpp>

#include <am/types.h>

#include <string>
#include <vector>

namespace am::detail::traces {

struct event {
  const trace_file* of;
  const trace::record* what;
  double begin;  // ns since the first rank's start
  double end;

  [[nodiscard]] trace::kind type() const noexcept { return what->type(); }
  [[nodiscard]] am_rank rank() const noexcept { return of->head().rank; }
};

// "request", "wait" and so on, as in files.
std::string_view text_of(trace::kind one) noexcept;
// Whether it is a message that leaves, and that comes; and what comes of what leaves.
constexpr bool is_sent(trace::kind one) noexcept {
  return one >= trace::kind::request && one <= trace::kind::answer;
}
constexpr bool is_come(trace::kind one) noexcept {
  return one >= trace::kind::on_request && one <= trace::kind::on_answer;
}
// 0 to 2: request, notice, answer.
constexpr unsigned class_of(trace::kind one) noexcept {
  return static_cast<unsigned>(one) -
         static_cast<unsigned>(is_sent(one) ? trace::kind::request : trace::kind::on_request);
}
// What the event is about: a handler, a call, a span; "" if that has no name.
std::string_view subject_of(const event& one);

class job_trace {
 public:
  // Of the files in a folder that belong to one job. Throws std::runtime_error with one line.
  explicit job_trace(const std::string& folder);

  [[nodiscard]] am_rank ranks() const noexcept { return ranks_; }
  [[nodiscard]] const std::vector<trace_file>& files() const noexcept { return files_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const noexcept { return remarks_; }
  // What must be said of the files when all events have been read.
  [[nodiscard]] std::vector<std::string> remarks_behind() const;
  [[nodiscard]] const job_clock& clock() const noexcept { return clock_; }

  // Calls visit(event) for each in the order of their ends.
  template <class Visit>
  void each(Visit&& visit) {
    begin();
    while (pop(next_)) visit(static_cast<const event&>(next_));
  }
  // The same of one rank.
  template <class Visit>
  void each_of(trace_file& file, Visit&& visit) {
    file.rewind();
    while (const trace::record* one = file.next()) visit(at_time(file, *one));
  }
  [[nodiscard]] std::vector<trace_file>& files() noexcept { return files_; }
  // When the rank started, as events have it.
  [[nodiscard]] double start_of(const trace_file& file) const noexcept {
    return file.time().at(file.head().first.ticks);
  }

 private:
  void keep_one_job(std::vector<trace_file> found);
  void add_remarks(std::size_t others);
  [[nodiscard]] static event at_time(const trace_file& file, const trace::record& one) noexcept {
    return {&file, &one, file.time().at(one.begin), file.time().at(one.end())};
  }
  void begin();
  bool pop(event& out);
  void advance(std::size_t file);

  std::string folder_;
  std::vector<trace_file> files_;  // by rank
  am_rank ranks_ = 0;
  job_clock clock_;
  std::vector<std::string> remarks_;
  std::vector<event> heap_;  // the next event of each file
  event next_{};
};

}  // namespace am::detail::traces
