// What am-trace makes of known traces.
#include "made.hpp"

#include <libam/tools/am-trace/merge.hpp>
#include <libam/tools/am-trace/pairing.hpp>
#include <libam/tools/am-trace/show.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <sstream>
#include <type_traits>
#include <vector>

namespace trace_merging {
namespace {

using namespace trace_test;
using namespace am::detail::traces;

template <class Write>
std::string written(Write&& write, const folder& in) {
  job_trace from(in.path());
  const std::string name = in.file("out");
  text_file to(name);
  if constexpr (std::is_invocable_v<Write, job_trace&, pairing&, text_file&>) {
    pairing messages;
    write(from, messages, to);
  } else {
    write(from, whole_messages(from), to);
  }
  to.close();
  return text_of_file(name);
}

// Rank 0 asks, rank 1 answers: 1000 ticks under way each, and the handler takes 500.
void make_round_trip(const folder& in) {
  writer first, second;
  begin(first, in, 0, 2);
  begin(second, in, 1, 2);
  for (writer* to : {&first, &second}) {
    to->name_handler(0, "ask \"once\"");
    to->name_handler(1, "answer");
  }
  const std::uint64_t t = second.now();
  first.add({kind::request, t, 1, 0, 16, 0}, t + 100);
  second.add({kind::answer, t + 1200, 0, 1, 8, 0}, t + 1300);
  second.add({kind::on_request, t + 1000, 0, 0, 16, 0}, t + 1500);
  first.add({kind::on_answer, t + 2200, 1, 1, 8, 0}, t + 2400);
  first.add({kind::wait, t + 200, 0, first.number_of(am::detail::trace::name_of::call, "wait")},
            t + 2500);
  end(first);
  end(second);
}

}  // namespace

TEST_CASE("each message is an arrow from its send to its handler") {
  const folder in;
  make_round_trip(in);
  const auto whole = nlohmann::json::parse(written(write_json, in));
  std::multiset<std::string> starts, ends;
  std::set<std::string> slices;
  for (const auto& one : whole.at("traceEvents")) {
    const std::string type = one.at("ph");
    if (type == "s") starts.insert(one.at("id"));
    if (type == "f") {
      ends.insert(one.at("id"));
      CHECK(one.at("bp") == "e");
    }
    if (type == "X") slices.insert(one.at("name"));
  }
  CHECK(starts == std::multiset<std::string>{"0.1.0.0", "1.0.2.0"});
  CHECK(starts == ends);
  CHECK(slices == std::set<std::string>{"request ask \"once\"", "on_request ask \"once\"",
                                        "answer answer", "on_answer answer", "wait wait"});
}

TEST_CASE("numbers are written with all digits behind the point") {
  const folder in;
  text_file to(in.file("numbers"));
  to.put(7U, ' ', fixed{1002003, 3}, ' ', fixed{-15, 1}, ' ', fixed{0, 3}, ' ', fixed{-9, 3});
  to.put(' ', fixed{nearest(-1e300), 1}, " end\n");
  to.close();
  CHECK(text_of_file(in.file("numbers")) ==
        "7 1002.003 -1.5 0.000 -0.009 -400000000000000000.0 end\n");
}

TEST_CASE("a line of CSV for each event") {
  const folder in;
  make_round_trip(in);
  std::istringstream lines(written(write_csv, in));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);)
    if (line.find("pause") == line.npos) all.push_back(line);
  REQUIRE(all.size() == 6);
  CHECK(all[0] == "rank,begin_ns,duration_ns,event,about,peer,bytes,number");
  CHECK(all[1].ends_with(",request,\"ask \"\"once\"\"\",1,16,0"));
  CHECK(all[3].ends_with(",on_request,\"ask \"\"once\"\"\",0,16,0"));
  CHECK(all[5].ends_with(",wait,wait,,0,"));
}

// With a tick for a nanosecond: the rate is that of the header.
std::string in_ticks(const std::string& goal, const folder& in) {
  const job_trace from(in.path());
  const auto& head = from.files().front();
  const double rate = static_cast<double>(head.last_moment().ticks - head.head().first.ticks) /
                      static_cast<double>(head.last_moment().ns - head.head().first.ns);
  std::istringstream lines(goal);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("calc ");
    if (line.find(" requires ") != line.npos) continue;
    if (at == line.npos) {
      out += line + '\n';
      continue;
    }
    const double ticks = std::stod(line.substr(at + 5)) * rate;
    out += line.substr(0, at + 5) + std::to_string(std::lround(ticks / 10) * 10) + '\n';
  }
  return out;
}

TEST_CASE("a rank is a chain of sends, receives and computation, of handlers in waits, too") {
  const folder in;
  writer first, second;
  begin(first, in, 0, 3);
  begin(second, in, 1, 3);
  // The computation from the start of each is as long as the test takes.
  const std::uint64_t t = second.now() + 1'000'000;
  const std::uint32_t wait = first.number_of(am::detail::trace::name_of::call, "wait");
  first.add({kind::request, t, 1, 0, 16, 0}, t);
  second.add({kind::answer, t + 30'000, 0, 1, 8, 0}, t + 31'000);
  second.add({kind::on_request, t + 10'000, 0, 0, 16, 0}, t + 50'000);
  first.add({kind::on_end, t + 30'000, 0, 0, 0, 0}, t + 40'000);
  first.add({kind::on_answer, t + 60'000, 1, 1, 8, 0}, t + 65'000);
  first.add({kind::wait, t + 20'000, 0, wait}, t + 70'000);
  first.add({kind::request, t + 90'000, 1, 0, 0, 1}, t + 90'000);  // never comes
  first.add({kind::on_end, t + 90'000, 0, 0, 0, 0}, t + 100'000);
  end(first);
  end(second);
  const std::string text = in_ticks(written(write_goal, in), in);
  const auto part = [&](const char* from, const char* to) {
    const std::size_t start = text.find(from);
    return text.substr(start, text.find(to) - start);
  };
  CHECK(part("l2: ", "rank 1") ==
        "l2: send 48b to 1 tag 0\nl3: calc 20000\nl4: calc 10000\nl5: recv 40b from 1 tag 2\n"
        "l6: calc 5000\nl7: calc 20000\nl8: calc 10000\n}\n");
  CHECK(part("rank 1 {", "rank 2 {")
            .find("l2: recv 48b from 0 tag 0\nl3: calc 20000\n"
                  "l4: send 40b to 0 tag 2\nl5: calc 19000\n}\n") != std::string::npos);
  CHECK(text.find("rank 2 {\nl1: calc ") != std::string::npos);
}

TEST_CASE("messages are paired by their numbers, whatever was lost between them") {
  const folder in;
  writer first, second;
  begin(first, in, 0, 2);
  begin(second, in, 1, 2);
  const std::uint64_t t = second.now();
  for (const std::uint32_t i : {0U, 1U, 2U, 5U, 6U})
    first.add({kind::request, t + 10 * i, 1, 0, 0, i}, t + 10 * i + 1);
  for (const std::uint32_t i : {1U, 2U, 3U, 4U, 5U})
    second.add({kind::on_request, t + 10 * i + 5, 0, i == 5 ? 9U : 0U, 0, i}, t + 10 * i + 6);
  end(first);
  end(second);
  job_trace from(in.path());
  pairing messages;
  std::vector<std::uint32_t> paired;
  from.each([&](const event& one) {
    messages.add(one, [&](const message& whole) {
      CHECK(whole.sent.what->sequence == whole.come.what->sequence);
      CHECK(whole.come.what->begin - whole.sent.what->begin == 5);
      paired.push_back(whole.sent.what->sequence);
    });
  });
  CHECK(paired == std::vector<std::uint32_t>{1, 2, 5});
  CHECK(messages.alone() == 4);
  CHECK(messages.mismatched() == 1);
}

TEST_CASE("half a message is no arrow") {
  const folder in;
  writer first;
  begin(first, in, 0, 2);
  first.name_handler(0, "caf\xc3");  // cut within a character
  first.add({kind::request, first.now(), 1});
  end(first);
  const auto whole = nlohmann::json::parse(written(write_json, in));
  for (const auto& one : whole.at("traceEvents")) CHECK(one.at("ph") != "s");
}

TEST_CASE("waits in waits count once") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  const std::uint32_t wait = to.number_of(am::detail::trace::name_of::call, "wait");
  const std::uint64_t t = to.now(), unit = 100'000'000;
  to.add({kind::wait, t + 2 * unit, 0, wait}, t + 4 * unit);
  to.add({kind::wait, t + unit, 0, wait}, t + 9 * unit);
  to.add({kind::span, t, 0, to.number_of(am::detail::trace::name_of::span, "all")}, t + 10 * unit);
  end(to);
  job_trace from(in.path());
  const std::string text = summary_of(from, 5);
  const auto row = text.substr(text.find('\n') + 1);
  CHECK(row.find(" 80.0 % ") != std::string::npos);
}

TEST_CASE("a message that came before it was sent is reported") {
  const folder in;
  writer first, second;
  begin(first, in, 0, 2);
  begin(second, in, 1, 2);
  const std::uint64_t t = second.now();
  first.add({kind::request, t + 100, 1}, t + 110);
  second.add({kind::on_request, t + 50, 0}, t + 60);
  end(first);
  end(second);
  job_trace from(in.path());
  const std::string line =
      "1 messages came before they were sent: the clocks of the ranks differ by more than is known "
      "of them";
  CHECK(summary_of(from, 5).find(line) != std::string::npos);
  CHECK(whole_messages(from).remarks() == std::vector<std::string>{line});
}

}  // namespace trace_merging
