// What am-trace makes of known traces.
#include "made.hpp"

#include <libam/tools/am-trace/merge.hpp>
#include <libam/tools/am-trace/pairing.hpp>
#include <libam/tools/am-trace/show.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>
#include <vector>

namespace trace_merging {
namespace {

using namespace trace_test;
using namespace am::detail::traces;

std::string written(void (*write)(job_trace&, text_file&), const folder& in) {
  job_trace from(in.path());
  const std::string name = in.file("out");
  text_file to(name);
  write(from, to);
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
                                        "answer answer", "on_answer answer", "wait wait", "pause"});
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

// Without what rank 0 waited for; a handler receives before it answers.
TEST_CASE("a rank is a chain of sends, receives and computation") {
  const folder in;
  make_round_trip(in);
  const std::string text = written(write_goal, in);
  CHECK(text.starts_with("num_ranks 2\nrank 0 {\n"));
  const std::string second = text.substr(text.find("rank 1 {"));
  const std::size_t received = second.find("recv 48b from 0 tag 0");
  const std::size_t answered = second.find("send 40b to 0 tag 2");
  CHECK(received < answered);
  CHECK(answered != second.npos);
  const std::string first = text.substr(0, text.find("rank 1 {"));
  CHECK(first.find("send 48b to 1 tag 0") < first.find("recv 40b from 1 tag 2"));
  CHECK(first.find("recv 40b from 1 tag 2") != first.npos);
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

TEST_CASE("a message that came before it was sent is said") {
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
  CHECK(summary_of(from, 5).find("1 messages came before they were sent") != std::string::npos);
}

}  // namespace trace_merging
