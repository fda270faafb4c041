// Pairs each message that has left with its handler: the k-th of a kind from one rank to another
// is the k-th that came. Keeps no more than what is under way.
#pragma once

#include <libam/tools/am-trace/job_trace.hpp>

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace am::detail::traces {

struct message {
  event sent;
  event come;

  // From the call that sent it to its handler.
  [[nodiscard]] double flight() const noexcept { return come.begin - sent.begin; }
  // By how much that is wrong at most: ranks of one host have one clock.
  [[nodiscard]] double bound() const noexcept {
    const host_time &here = sent.of->time(), &there = come.of->time();
    return &here == &there ? 0 : here.bound(sent.what->begin) + there.bound(come.what->begin);
  }
};

// From, to, and class_of.
using route = std::tuple<am_rank, am_rank, unsigned>;
route route_of(const event& one) noexcept;

class pairing {
 public:
  // Takes events in order; calls visit(message) for each message that is whole now.
  template <class Visit>
  void add(const event& one, Visit&& visit) {
    const trace::kind type = one.type();
    if (!is_sent(type) && !is_come(type)) return;
    queues& of = open_[route_of(one)];
    (is_sent(type) ? of.sent : of.come).push_back(one);
    message whole;
    while (take(of, whole)) visit(whole);
  }

  // Messages whose other end was not recorded, so far or at all.
  [[nodiscard]] std::uint64_t alone() const noexcept;
  // Messages that came with another handler or other bytes than they were sent with.
  [[nodiscard]] std::uint64_t mismatched() const noexcept { return mismatched_; }
  // What is to be said of messages: a line for each count that is not 0.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  struct queues {
    std::deque<event> sent;
    std::deque<event> come;
  };
  bool take(queues& of, message& out);

  std::map<route, queues> open_;
  std::uint64_t alone_ = 0;
  std::uint64_t mismatched_ = 0;
  std::uint64_t backwards_ = 0;  // came before they were sent, by more than clocks are known
};

// Which messages have both ends, so that a file without halves of messages can be written: a first
// pass over the trace.
class whole_messages {
 public:
  explicit whole_messages(job_trace& from);

  [[nodiscard]] bool has(const event& one) const;
  [[nodiscard]] const std::vector<std::string>& remarks() const noexcept { return remarks_; }

 private:
  struct range {
    std::uint32_t first;
    std::uint32_t last;
  };
  std::map<route, std::vector<range>> numbers_;  // ascending
  std::vector<std::string> remarks_;
};

}  // namespace am::detail::traces
