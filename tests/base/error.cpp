// The error text of a failed call, and the text of each status.
#include <libam/base/error.hpp>
#include <libam/base/text.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <set>
#include <string>
#include <thread>

using namespace am::detail;

TEST_CASE("fail() returns its status and stores its text") {
  CHECK(base::fail(AM_ARGUMENT_RANK, "rank {} of {}", 7, 4) == AM_ARGUMENT_RANK);
  CHECK(std::string(base::error_text()) == "rank 7 of 4");
}

TEST_CASE("each thread has its own error text") {
  base::fail(AM_ARGUMENT_RANK, "mine");
  std::string other = "not read";
  std::thread([&] { other = base::error_text(); }).join();
  CHECK(other.empty());
  CHECK(std::string(base::error_text()) == "mine");
}

TEST_CASE("a text that is too long is cut") {
  base::fail_with(AM_ARGUMENT_SIZE, std::string(10000, 'x'));
  const std::string line = base::error_text();
  CHECK(line.size() > 100);
  CHECK(line == std::string(line.size(), 'x'));
}

TEST_CASE("a text may be made from the previous one") {
  base::fail_with(AM_ARGUMENT_SIZE, "abcdef");
  base::fail_with(AM_ARGUMENT_SIZE, std::string_view(base::error_text()).substr(2));
  CHECK(std::string(base::error_text()) == "cdef");
}

TEST_CASE("a text stays one line, and is not cut within a character") {
  base::fail(AM_ARGUMENT_SETTING, "two\nlines\tand\x7f");
  CHECK(std::string(base::error_text()) == "two?lines?and?");
  for (const std::size_t before : {505U, 506U, 507U, 508U, 509U, 510U, 511U}) {
    base::fail_with(AM_ARGUMENT_SIZE, std::string(before, 'x') + "\u20ac\u20ac");
    const std::string line = base::error_text();
    CHECK((line.size() - before) % 3 == 0);
    CHECK(line.size() < 512);
  }
}

TEST_CASE("a long value is abbreviated") {
  CHECK(base::abbreviate("short") == "short");
  CHECK(base::abbreviate(std::string(100, 'x')) == std::string(100, 'x'));
  CHECK(base::abbreviate(std::string(5000, 'x')) == std::string(100, 'x') + "...");
}

TEST_CASE("where descriptors have run out the error names the limit") {
  CHECK(base::errno_text(ENOENT) == "No such file or directory");
  CHECK(base::errno_text(EMFILE).find(" may be open here: raise `ulimit -n`") != std::string::npos);
}

TEST_CASE("every status has a text of its own that begins with the reason") {
  const std::pair<am_status, const char*> some[] = {
      {AM_OK, "ok"},
      {AM_AGAIN_CREDIT, "again(credit)"},
      {AM_AGAIN_PAYLOAD, "again(payload room)"},
      {AM_USAGE_IN_HANDLER, "usage(in_handler)"},
      {AM_ARGUMENT_RANK, "argument(rank)"},
      {AM_PEER_DEAD, "peer(dead)"},
      {AM_RESOURCE_SPACE, "resource(space)"},
      {AM_ENDPOINT_CORRUPT, "endpoint(corrupt)"},
  };
  for (const auto& [status, text] : some) CHECK(std::string(base::status_text(status)) == text);

  const std::pair<int, int> causes_of_reason[] = {{1, 5}, {2, 5}, {3, 6}, {4, 4}, {5, 3}, {6, 2}};
  const std::string nothing = base::status_text(static_cast<am_status>(0x7ff));
  std::set<std::string> words;
  for (const auto& [reason, causes] : causes_of_reason) {
    for (int cause = 1; cause <= causes; ++cause)
      words.insert(base::status_text(static_cast<am_status>(reason * 256 + cause)));
    CHECK(base::status_text(static_cast<am_status>(reason * 256 + causes + 1)) == nothing);
  }
  CHECK(words.size() == 25);
  CHECK(words.count(nothing) == 0);
}
