// A library of two-sided messages between two processes, in virtual time, as the worker of COMB
// sees it. What it offloads and what it costs are known, so what COMB says of it is, too.
//
// After each barrier but the first the other process sends `depth` messages, and then one for each
// that arrives there, at once. Its messages are numbered as the worker's. A message begins to move
// when its sender posts it, or only in a later call of the worker's; then a card moves it, or the
// worker's processor within such a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace simulated {

struct comb_parameters {
  std::uint64_t depth;
  bool begins_alone = false;  // without a later call
  bool moves_alone = false;   // by a card
  std::size_t eager = 0;      // messages of up to this size leave within the call that posts
  double G = 0.1;             // ns/B, in each direction
  double L = 500;             // ns until the other process has it
  double post = 50;           // ns of a call that sends or receives
  double poll = 20;           // ns of a test, and of a wait besides its waiting
  double interrupt = 0;       // ns that a message takes from the work during which it has moved
  double tick = 1;            // the resolution of the clock, ns
  double reading = 0;         // the cost of reading the clock, ns
  std::uint64_t lost = ~std::uint64_t{0};  // this receive, of all, gets no data
};

class comb_library {
 public:
  struct request {
    bool is_send = false;
    std::uint64_t number = 0;
    std::byte* room = nullptr;  // of a receive
  };

  explicit comb_library(const comb_parameters& real) : real_(real) {}

  // ---- the worker's processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns);
  [[nodiscard]] const comb_parameters& real() const { return real_; }

  // ---- the library ----
  request isend(int to, int tag, const std::byte* data, std::size_t bytes);
  request irecv(int from, int tag, std::byte* room, std::size_t bytes);
  bool test(request& one);
  void wait(request& one);
  void wait_all(std::span<request> all);
  void barrier();
  static double max(double mine) { return mine; }

 private:
  static constexpr double never = 1e300;

  [[nodiscard]] bool alone(std::size_t bytes) const {
    return real_.begins_alone || (real_.moves_alone && bytes <= real_.eager);
  }
  [[nodiscard]] double end_of(const request& one) const;
  [[nodiscard]] double next_event(const request& one) const;
  // Of the next message that the worker can receive: when it can know of it, or never.
  [[nodiscard]] double next_offer() const;
  void finish(const request& one) const;
  double move(std::size_t bytes, double ready, double& card);
  void send_now(std::uint64_t number);
  void receive_alone();
  void progress();

  struct direction {
    std::vector<std::size_t> bytes;  // of messages that are posted here
    std::vector<double> ends;        // when those that have moved were here, or left
    double card = 0;                 // when it is free
  };
  const comb_parameters real_;
  double now_ = 0;
  bool has_begun_ = false;  // the first barrier has been passed
  direction sent_, received_;
  std::uint64_t first_ = 0;             // receive after the last barrier
  std::vector<std::uint64_t> numbers_;  // of the messages that the worker has sent since
  std::vector<double> offered_;         // when messages for these leave the other process
  std::priority_queue<double, std::vector<double>, std::greater<>> interrupts_;
};

}  // namespace simulated
