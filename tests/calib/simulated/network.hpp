// Two processors with a network between them whose LogP parameters are known, in virtual time: a
// layer of the probes, and their stage. One processor is who calls; the other answers requests
// in the order in which they come.
//
// Sending engages a processor for o_s, receiving for o_r; a message leaves a network interface g
// after the one before at the earliest, and is there L later. It knows nothing of what is made of
// its times.
#pragma once

#include <calib/program/bulk.hpp>

#include <cstdint>
#include <deque>
#include <random>

namespace simulated {

struct parameters {
  double o_s, o_r, L, g;    // ns
  std::uint64_t window;     // so many requests without an answer
  unsigned shared = 1;      // so many messages share one overhead, if they follow each other
  std::uint64_t flood = 0;  // so many messages make a flood; 0: 50 windows
  double unsteady = 0;      // computation takes up to this part longer
  double jitter = 0;        // each overhead is up to this part longer or shorter
  double flutter = 0;       // so is each flight; messages do not overtake each other for that
  double disturbed = 0;     // so often an overhead takes 100 times as long
  double tick = 1;          // of the clock, in ns
  double reading = 20;      // the clock, in ns
};

class network {
 public:
  network(const parameters& real, std::uint64_t seed) : real_(real), random_(seed) {}

  // ---- the processor that calls ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns);
  [[nodiscard]] const parameters& real() const { return real_; }

  // ---- the layer ----
  void post() { send(false); }
  void ask() { send(true); }
  void ask_blind() { leave(true); }
  void take() { look(); }
  void ping();
  void drain();
  [[nodiscard]] bool intact() const { return true; }
  [[nodiscard]] std::uint64_t flood_length() const {
    return real_.flood != 0 ? real_.flood : 50 * real_.window;
  }
  [[nodiscard]] std::uint64_t window() const { return real_.window; }

 private:
  // A network interface and the processor behind it.
  struct place {
    double free = 0;        // the processor is
    double left = -1e30;    // when the last message left the interface
    double landed = -1e30;  // when the last message came in
  };
  // What comes back for a request.
  struct answer {
    double at;
    bool read;  // by the processor; otherwise only its place in the window is free again
  };

  double about(double ns, double part);
  double engaged(double ns);
  double carry(place& from, place& to, double ready);
  answer served(double at, bool answered);
  void send(bool answered);
  void leave(bool answered);
  void look();
  void wait_for_answer();

  parameters real_;
  std::mt19937_64 random_;
  place here_, there_;
  std::deque<answer> coming_;
  bool streams_ = false;  // nothing but messages since the last one was sent
};

// The stage of the probes: the processor of who calls.
template <class World>
class stage_in {
 public:
  explicit stage_in(World& in) : in_(in) {}
  [[nodiscard]] std::uint64_t now() const { return in_.read_clock(); }
  [[nodiscard]] double ns(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * in_.real().tick;
  }
  [[nodiscard]] double cost_ns() const { return in_.real().reading; }
  [[nodiscard]] std::uint64_t steps_for(double ns) const { return static_cast<std::uint64_t>(ns); }
  void compute(std::uint64_t steps) const { in_.compute(static_cast<double>(steps)); }

 private:
  World& in_;
};
using processor = stage_in<network>;

}  // namespace simulated
