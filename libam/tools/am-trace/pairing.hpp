// Pairs each message that has left with its handler: the k-th of a kind from one rank to another
// is the k-th that came. Keeps no more than what is under way.
#pragma once

#include <libam/tools/am-trace/job_trace.hpp>

#include <deque>
#include <map>
#include <tuple>

namespace am::detail::traces {

struct message {
  event sent;
  event come;

  // From the call that sent it to its handler.
  [[nodiscard]] double flight() const noexcept { return come.begin - sent.begin; }
};

class pairing {
 public:
  // Takes events in order; calls visit(message) for each message that is whole now.
  template <class Visit>
  void add(const event& one, Visit&& visit) {
    const trace::kind type = one.type();
    if (!is_sent(type) && !is_come(type)) return;
    const bool leaves = is_sent(type);
    const am_rank from = leaves ? one.rank() : one.what->peer;
    const am_rank to = leaves ? one.what->peer : one.rank();
    queues& of = open_[{from, to, class_of(type)}];
    (leaves ? of.sent : of.come).push_back(one);
    message whole;
    while (take(of, whole)) visit(whole);
  }

  // Messages whose other end was not recorded, so far or at all.
  [[nodiscard]] std::uint64_t alone() const noexcept;
  // Messages whose handler is another one than their sender named.
  [[nodiscard]] std::uint64_t mismatched() const noexcept { return mismatched_; }

 private:
  struct queues {
    std::deque<event> sent;
    std::deque<event> come;
  };
  bool take(queues& of, message& out);

  std::map<std::tuple<am_rank, am_rank, unsigned>, queues> open_;
  std::uint64_t alone_ = 0;
  std::uint64_t mismatched_ = 0;
};

}  // namespace am::detail::traces
