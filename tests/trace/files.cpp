// What a rank writes is what am-trace reads, up to the last whole record.
#include "counted.hpp"

#include <libam/tools/am-trace/job_trace.hpp>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace trace_files {
namespace {

using namespace trace_test;
using am::detail::trace::name_of;
using am::detail::trace::windows_end;
using am::detail::traces::event;
using am::detail::traces::job_trace;
using am::detail::traces::subject_of;

}  // namespace

TEST_CASE("events come back in the order of their ends, with their names") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  to.name_handler(5, "pong");
  const std::uint64_t start = to.now();
  to.add({kind::request, start, 1, 5, 8, 3}, start + 10);
  to.add({kind::wait, start, 0, to.number_of(name_of::call, "wait")}, start + 50);
  to.add({kind::span, start + 5, 0, to.number_of(name_of::span, "relax")}, start + 60);
  end(to);

  job_trace all(in.path());
  CHECK(all.ranks() == 1);
  CHECK(all.remarks().empty());
  std::vector<std::string> seen;
  all.each([&](const event& one) {
    if (one.type() != kind::pause) seen.emplace_back(subject_of(one));
    if (one.type() != kind::request) return;
    CHECK(one.what->peer == 1);
    CHECK(one.what->bytes == 8);
    CHECK(one.what->sequence == 3);
    CHECK(one.what->duration() == 10);
  });
  CHECK(seen == std::vector<std::string>{"pong", "wait", "relax"});
}

TEST_CASE("a name has one number, and another one another") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  const std::uint32_t a = to.number_of(name_of::span, "a");
  CHECK(to.number_of(name_of::span, "b") != a);
  CHECK(to.number_of(name_of::span, "a") == a);
}

TEST_CASE("names that do not fit a window go whole into the next one") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  const std::string long_name(100, 'x');
  constexpr std::uint32_t names = 5000;  // several windows
  for (std::uint32_t i = 0; i < names; ++i) to.name_handler(i, long_name + std::to_string(i));
  end(to);
  trace_file from(in.of_rank(0));
  while (from.next() != nullptr) {
  }
  for (const std::uint32_t i : {0U, 1U, 1599U, 1600U, 2500U, names - 1})
    CHECK(from.name(name_of::handler, i) == long_name + std::to_string(i));
}

TEST_CASE("a trace that was cut off ends with its last whole record") {
  const folder in;
  constexpr std::size_t events = 50;
  const std::string whole = file_with(in, events);
  for (std::size_t kept = 0; kept <= (events + 2) * sizeof(record); ++kept) {
    std::string cut = whole;
    const std::size_t from = am::detail::trace::header_bytes + kept;
    cut.replace(from, windows_end - from, windows_end - from, '\0');
    write_file(in.of_rank(0), cut);
    // The kind is the last byte of the second word.
    CHECK(records_in(in.of_rank(0)) == std::min((kept + 16) / sizeof(record), events));
  }
  for (const std::size_t bytes : {windows_end - 1, am::detail::trace::header_bytes - 1}) {
    write_file(in.of_rank(0), whole.substr(0, bytes));
    CHECK_THROWS_AS(records_in(in.of_rank(0)), std::runtime_error);
  }
}

TEST_CASE("a file that was cut ends with its last whole record, without the window behind it") {
  const folder in;
  constexpr std::uint32_t events = 5000;
  const std::string whole = file_with(in, events);
  CHECK(requests_in(in.of_rank(0)) == events);
  CHECK(whole.size() == windows_end + 2 * window_bytes);
  for (const std::size_t kept : {0, 1, 31, 32, 1000, 65536, 65536 + 64, 2 * 65536 - 1}) {
    write_file(in.of_rank(0), whole.substr(0, windows_end + kept));
    CHECK(records_in(in.of_rank(0)) == kept / sizeof(record));
    CHECK(job_trace(in.path()).remarks() ==
          std::vector<std::string>{
              "rank 0's file was cut: " + std::to_string(2 * window_bytes - kept) +
              " of 131072 bytes of records are missing"});
  }
}

namespace {

// The file of a rank that has left, with zeros from one of its records on, which is read on behind
// them.
void check_hole(const folder& in, const std::string& whole, std::size_t at, std::size_t bytes) {
  CAPTURE(at);
  std::string holed = whole;
  holed.replace(at, bytes, bytes, '\0');
  write_file(in.of_rank(0), holed);
  job_trace all(in.path());
  CHECK(all.remarks().empty());
  std::uint32_t last = 0;
  std::size_t count = 0;
  all.each([&](const event& one) {
    ++count;
    last = one.what->sequence;
  });
  const std::size_t lost = bytes / sizeof(record);
  CHECK(count == 2 * records_of_window + 200 - lost);
  CHECK(last == 2 * records_of_window + 200 - 3);  // two windows began with a pause
  REQUIRE(all.remarks_behind().size() == 1);
  CHECK(all.remarks_behind()[0].starts_with("rank 0's file has a hole: " + std::to_string(lost) +
                                            " records "));
  all.each([](const event&) {});
  CHECK(all.remarks_behind().size() == 1);
}

}  // namespace

TEST_CASE("behind a hole in a file the trace goes on, and its records are counted") {
  const folder in;
  const std::string whole = file_with(in, 2 * records_of_window + 200 - 2);
  {
    job_trace all(in.path());
    all.each([](const event&) {});
    CHECK(all.remarks_behind().empty());
  }
  for (const std::size_t page : {std::size_t{0}, window_bytes, 2 * window_bytes - 4096})
    check_hole(in, whole, windows_end + page, 4096);
  check_hole(in, whole, am::detail::trace::window_at(2 * window_bytes), 4096);
}

TEST_CASE("a name whose record was in a hole is left out") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  to.number_of(name_of::span, "behind it");  // the first record
  to.add({kind::span, to.now(), 0, 0});
  add_requests(to, records_of_window);
  end(to);
  std::string holed = text_of_file(in.of_rank(0));
  holed.replace(windows_end, sizeof(record), sizeof(record), '\0');
  write_file(in.of_rank(0), holed);
  job_trace all(in.path());
  std::size_t spans = 0;
  all.each([&](const event& one) {
    if (one.type() != kind::span) return;
    ++spans;
    CHECK(subject_of(one).empty());
  });
  CHECK(spans == 1);
  CHECK(all.remarks_behind().size() == 1);
}

TEST_CASE("a hole in the text of a name is counted, and a name that claims too much, too") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  to.name_handler(7, std::string(2000, 'x'));  // the first record, and 32 of text
  add_requests(to, records_of_window);
  end(to);
  const std::string whole = text_of_file(in.of_rank(0));
  const auto unreadable_with = [&](std::size_t at, const std::string& bytes) {
    std::string damaged = whole;
    damaged.replace(windows_end + at, bytes.size(), bytes);
    write_file(in.of_rank(0), damaged);
    CHECK(requests_in(in.of_rank(0)) == records_of_window);
    trace_file from(in.of_rank(0));
    while (from.next() != nullptr) {
    }
    return from.unreadable();
  };
  CHECK(unreadable_with(0, "") == 0);
  CHECK(unreadable_with(3 * sizeof(record), std::string(2 * sizeof(record), '\0')) == 2);
  CHECK(unreadable_with(32 * sizeof(record), std::string(sizeof(record), '\0')) == 1);
  CHECK(unreadable_with(offsetof(record, bytes), std::string("\x01\x04", 2)) == 1 + 32);
  CHECK(unreadable_with(offsetof(record, bytes), std::string("\xff\xff\xff\xff", 4)) == 1 + 32);
}

TEST_CASE("what is not closed can be read while it is written") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  for (int i = 0; i < 10; ++i) to.add({kind::request, to.now()});
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::uint64_t now = to.now();
  to.note_time(now);
  CHECK(trace_file(in.of_rank(0)).last_moment().ticks >= now);
  job_trace all(in.path());
  std::size_t count = 0;
  all.each([&](const event& one) { count += one.type() == kind::request ? 1 : 0; });
  CHECK(count == 10);
  REQUIRE(all.remarks().size() == 1);
  CHECK(all.remarks()[0].starts_with("rank 0 did not leave"));
}

TEST_CASE("a wait that has not ended is the last event, and none that has") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  const std::uint32_t outer = to.number_of(name_of::call, "outer");
  const std::uint32_t inner = to.number_of(name_of::call, "inner");
  const auto open_wait = [&] {
    trace_file from(in.of_rank(0));
    const record* last = nullptr;
    while (const record* one = from.next()) last = one;
    if (from.open_wait() == nullptr) return std::string("none");
    CHECK(last == from.open_wait());
    CHECK(last->type() == kind::wait);
    return std::string(from.name(name_of::call, last->handler)) + ' ' +
           std::to_string(last->begin) + ' ' + std::to_string(last->end());
  };
  CHECK(open_wait() == "none");
  const std::uint64_t t = to.now();
  CHECK(to.set_wait({t, outer}).begin == 0);
  to.add({kind::on_end, t}, t + 1'000'000'000'000);
  const std::string waits = "outer " + std::to_string(t) + ' ';
  CHECK(open_wait() == waits + std::to_string(t + 1'000'000'000'000));
  const writer::open_wait before = to.set_wait({t + 1, inner});
  CHECK(open_wait().starts_with("inner " + std::to_string(t + 1)));
  to.set_wait(before);
  CHECK(open_wait().starts_with(waits));
  to.set_wait({});
  CHECK(open_wait() == "none");
  to.set_wait({t, outer});
  end(to);
  CHECK(open_wait() == "none");  // it has left
}

TEST_CASE("events beyond the limit are counted") {
  const folder in;
  writer to;
  begin(to, in, 0, 1, windows_end + window_bytes);
  constexpr std::size_t most = 2 * records_of_window;  // with a pause
  for (std::size_t i = 0; i < most - 1 + 5; ++i) to.add({kind::request, to.now()});
  end(to);
  CHECK(records_in(in.of_rank(0)) == most);
  CHECK(trace_file(in.of_rank(0)).head().lost == 5);
  const job_trace all(in.path());
  REQUIRE(all.remarks().size() == 1);
  CHECK(all.remarks()[0].starts_with("rank 0 lost 5 events"));
}

TEST_CASE("a file that may not grow ends the trace, not the program") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit little{400'000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  for (int i = 0; i < 20000; ++i) to.add({kind::request, to.now()});
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  for (int i = 0; i < 10; ++i) to.add({kind::request, to.now()});  // behind a hole: lost, too
  end(to);
  const std::size_t windows = (400'000 - windows_end) / window_bytes;  // that were written
  const std::size_t records = (windows + 1) * records_of_window;
  CHECK(records_in(in.of_rank(0)) == records);
  CHECK(trace_file(in.of_rank(0)).head().lost == 20010 - (records - windows));
}

TEST_CASE("of several jobs that with the most files is read, or the youngest of those") {
  const folder in;
  const auto trace_of = [&](std::uint64_t job, am_rank rank, am_rank ranks) {
    writer to;
    begin(to, in, rank, ranks);
    to.set_job(job);
    end(to);
  };
  trace_of(41, 0, 3);
  trace_of(42, 0, 3);
  const job_trace youngest(in.path());
  CHECK(youngest.files().front().head().job == 42);
  CHECK(youngest.remarks() ==
        std::vector<std::string>{"1 files in " + in.path() + " are of another job",
                                 "1 of 3 ranks have a trace"});
  trace_of(41, 2, 3);
  trace_of(43, 0, 1);
  const job_trace largest(in.path());
  CHECK(largest.files().size() == 2);
  CHECK(largest.files().front().head().job == 41);
}

TEST_CASE("two endpoints of one rank in a process have two files") {
  const folder in;
  writer first, second;
  begin(first, in, 0, 1);
  begin(second, in, 0, 1);
  second.set_job(43);
  first.add({kind::request, first.now()});
  second.add({kind::request, second.now()});
  second.add({kind::request, second.now()});
  end(second);
  end(first);
  CHECK(records_in(in.of_rank(0)) == 1);
  CHECK(job_trace(in.path()).remarks().front() ==
        "1 files in " + in.path() + " are of another job");
}

TEST_CASE("what is no file is not read") {
  const folder in;
  REQUIRE(::mkfifo(in.file("rank-0.amtrace").c_str(), 0600) == 0);
  CHECK_THROWS_AS(job_trace(in.path()), std::runtime_error);
}

TEST_CASE("a folder without a trace is refused") {
  const folder in;
  CHECK_THROWS_AS(job_trace(in.path()), std::runtime_error);
  CHECK_THROWS_AS(job_trace(in.path() + "/none"), std::runtime_error);
}

}  // namespace trace_files
