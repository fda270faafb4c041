// A suite of cases that all ranks of a job run in the same order, with a job fence between them. It
// includes installed headers only, so that the same cases run over every transport, as processes
// under am-run and as threads (tests/threads).
//
// A case keeps the counts of its handlers in thread_local variables: one per rank in both kinds of
// job. They start at zero and are never reset at the start of a case, since a faster rank may
// already be sending.
#pragma once

#include <am/am.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace am_test {

// The argument of a case: its endpoint, which it may close and join again.
class session {
 public:
  // `share`: the work of each case is divided by it, where every message needs a switch between
  // ranks (windows of one).
  session(std::function<am::endpoint()> join, std::uint32_t share)
      : join_(std::move(join)), share_(share) {
    this->join();
  }
  // Of an endpoint that belongs to the caller: no case can leave or join.
  session(am::endpoint& ep, std::uint32_t share)
      : share_(share), ep_(&ep), rank_(ep.rank()), ranks_(ep.ranks()) {}

  [[nodiscard]] am::endpoint& ep() { return *ep_; }
  [[nodiscard]] am::rank_id rank() const noexcept { return rank_; }
  [[nodiscard]] am::rank_id ranks() const noexcept { return ranks_; }
  [[nodiscard]] am::rank_id next() const noexcept { return rank_ + 1 == ranks_ ? 0 : rank_ + 1; }

  void leave() {
    ep_->close();
    own_.reset();
  }
  void join() {
    own_ = std::make_unique<am::endpoint>(join_());
    ep_ = own_.get();
    rank_ = ep_->rank();
    ranks_ = ep_->ranks();
  }

  // An amount of work for each of the ranks^2 pairs, so that large jobs take about as long as small
  // ones.
  [[nodiscard]] std::uint32_t per_pair(std::uint32_t total) const noexcept;
  // The same for the whole work of a rank.
  [[nodiscard]] std::uint32_t per_rank(std::uint32_t total) const noexcept;

 private:
  std::function<am::endpoint()> join_;
  std::uint32_t share_;
  std::unique_ptr<am::endpoint> own_;
  am::endpoint* ep_ = nullptr;
  am::rank_id rank_ = 0;
  am::rank_id ranks_ = 0;
};

struct needs {
  am::rank_id ranks = 1;   // with fewer the case is skipped, which the summary counts
  bool processes = false;  // ranks must be processes, not threads
};

using case_fn = void(session& job);

bool add_case(const char* name, case_fn* body, needs wanted) noexcept;

// Runs all cases whose name contains `only`; 0 when none failed at this rank.
int run_cases(session& job, bool as_threads, std::string_view only);

// Reports a failed check on standard error; the suite continues.
void fail(const char* file, int line, const std::string& what);

template <class Value>
std::string show(const Value& value) {
  if constexpr (std::is_same_v<Value, am_status>) {
    return am_status_text(value);
  } else if constexpr (std::is_same_v<Value, am::status>) {
    return value.text();
  } else {
    std::ostringstream out;
    out << +value;
    return out.str();
  }
}
inline std::string show(const std::string& value) { return value; }
inline std::string show(const char* value) { return value; }

template <class Left, class Right>
void expect_equal(const Left& left, const Right& right, const char* text, const char* file,
                  int line) {
  if (left == right) return;
  fail(file, line, std::string(text) + ": " + show(left) + " against " + show(right));
}

// The status that a call throws; AM_OK if it does not throw.
template <class Call>
am::status thrown_by(Call&& call) {
  try {
    call();
  } catch (const am::error& e) {
    return e.status();
  }
  return {};
}

}  // namespace am_test

#define AM_TEST_PASTE_NOW(a, b) a##b
#define AM_TEST_PASTE(a, b) AM_TEST_PASTE_NOW(a, b)

// CASE("sentence", .ranks = 2) { … job … }
#define CASE(name, ...) AM_TEST_CASE(__COUNTER__, name, __VA_ARGS__)
#define AM_TEST_CASE(number, name, ...)                                                   \
  static void AM_TEST_PASTE(case_, number)(am_test::session & job);                       \
  [[maybe_unused]] static const bool AM_TEST_PASTE(added_, number) =                      \
      am_test::add_case(name, AM_TEST_PASTE(case_, number), am_test::needs{__VA_ARGS__}); \
  static void AM_TEST_PASTE(case_, number)([[maybe_unused]] am_test::session & job)

#define EXPECT(...)                                                      \
  do {                                                                   \
    if (!(__VA_ARGS__)) am_test::fail(__FILE__, __LINE__, #__VA_ARGS__); \
  } while (false)

#define EXPECT_EQ(left, right) \
  am_test::expect_equal(left, right, #left " == " #right, __FILE__, __LINE__)
