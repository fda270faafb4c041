// Makes every bad call of the table, at all ranks in step, and checks its status and its text;
// after each, a request to the next rank is still answered. With --list it prints the calls that
// have rows; with `end CASE` it makes one that does not return.
#include "../support/watchdog.hpp"
#include "table.hpp"

#include <regex.h>

#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

namespace am_test {

namespace {

unsigned answers = 0;
void on_answer(am::reply_token) { ++answers; }
void on_answered(am::request_token token) { token.reply<on_answer>(); }

unsigned faults = 0;
void fault(const bad_call& row, const std::string& text) {
  std::fprintf(stderr, "%s, %s: %s\n", row.call, row.what, text.c_str());
  ++faults;
}

// POSIX's expressions: GCC 12 warns inside those of C++ when it sanitizes.
bool is_like(const std::string& line, const std::string& pattern) {
  regex_t compiled;
  if (::regcomp(&compiled, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  const bool same = ::regexec(&compiled, line.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return same;
}

void try_row(const place& at, const bad_call& row) {
  const am_status result = row.make(at);
  const std::string line = am_error_text();
  if (result != row.status)
    return fault(row, std::string("gave ") + am_status_text(result) + " in place of " +
                          am_status_text(row.status) + ": " + line);
  if (row.pattern.empty()) return;
  if (!is_like(line, row.pattern))
    fault(row, "says '" + line + "', which is not '" + row.pattern + "'");
  if (line.find_first_of("\n\r\t") != std::string::npos) fault(row, "says more than a line");
}

int run(int argc, char** argv, const table& rows) {
  am::endpoint ep = am::join(argc, argv);
  const place at{ep.raw(), ep.rank(), ep.ranks()};
  unsigned requests = 0;
  constexpr unsigned seconds = 20;
  for (const bad_call& row : rows) {
    feed_watchdog(seconds * slowness(), row.call);
    try_row(at, row);
    ep.request<on_answered>(at.next());
    ++requests;
    ep.wait([&] { return answers == requests; });
  }
  ep.close();
  if (at.rank == 0) std::printf("%zu rows\n", rows.size());
  return faults == 0 ? 0 : 1;
}

// Calls that end the process, with the expected status.
int make_ending_call(const std::string_view what) {
  if (what == "abort") am_ep_abort(nullptr, 7);
  if (what == "threw") am_token_threw({nullptr, 0}, nullptr, nullptr);
  if (what == "threw-null") {
    am_ep* ep = nullptr;
    if (am_join(nullptr, nullptr, &ep) == AM_OK) am_token_threw({ep, 0}, nullptr, nullptr);
  }
  return 99;
}

}  // namespace

}  // namespace am_test

int main(int argc, char** argv) {
  using namespace am_test;
  table rows;
  for (const auto add :
       {add_endpoint_calls, add_messages, add_bulk_calls, add_segments, add_key_store_calls,
        add_collectives, add_handlers_and_tokens, add_cpp_calls})
    add(rows);
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    std::set<std::string> calls = {"am_ep_abort", "am_token_threw"};
    for (const bad_call& row : rows) calls.insert(row.call);
    for (const std::string& call : calls) std::puts(call.c_str());
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "end") == 0) return make_ending_call(argv[2]);
  return run(argc, argv, rows);
}
