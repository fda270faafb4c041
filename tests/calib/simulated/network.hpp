// Two processors and a network with known LogP parameters, in virtual time: a layer for the probes,
// and their processor. The caller is one of the processors; the other replies to requests in the
// order of their arrival.
//
// Sending occupies a processor for o_s, receiving for o_r; a message leaves a network interface at
// least g after the previous one, and arrives L later.
#pragma once

#include <calib/program/bulk.hpp>

#include <cstdint>
#include <deque>
#include <random>

namespace simulated {

struct parameters {
  double o_s, o_r, L, g;      // ns
  std::uint64_t window;       // the limit of outstanding requests
  unsigned batch = 1;         // this many consecutive messages share one overhead
  std::uint64_t flood = 0;    // messages of a flood; 0: 50 windows
  double compute_jitter = 0;  // computation takes longer by up to this part
  double jitter = 0;          // each overhead varies by up to this part
  double latency_jitter = 0;  // so does L; messages still arrive in order
  double outlier_rate = 0;    // the part of overheads that take 100 times as long
  double tick = 1;            // the resolution of the clock, ns
  double reading = 20;        // the cost of reading the clock, ns
  double awake = 1e30;        // the other processor sleeps when nothing has come for so long
  double wake_up = 0;         // and then takes longer
};

class network {
 public:
  network(const parameters& real, std::uint64_t seed) : real_(real), random_(seed) {}

  // ---- the caller's processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns);
  [[nodiscard]] const parameters& real() const { return real_; }
  // From now on they are these, as if a host had moved the processors.
  void change(const parameters& real) { real_ = real; }

  // ---- the layer ----
  void post() { send(false); }
  void request() { send(true); }
  void request_without_poll() { leave(true); }
  void receive_reply() { drain(); }
  void ping();
  void drain();
  [[nodiscard]] bool intact() const { return true; }
  [[nodiscard]] std::uint64_t flood_length() const {
    return real_.flood != 0 ? real_.flood : 50 * real_.window;
  }
  [[nodiscard]] std::uint64_t window() const { return real_.window; }

 private:
  // A network interface and the processor behind it.
  struct node {
    double free = 0;          // when the processor is idle
    double sent = -1e30;      // when the last message left the interface
    double received = -1e30;  // when the last message arrived
  };
  struct reply {
    double at;
    bool read;  // by the processor; a message without a reply only frees its place in the window
  };

  double within(double ns, double part);
  double with_jitter(double ns);
  double arrival(node& from, node& to, double ready);
  reply serve(double at, bool with_reply);
  void send(bool with_reply);
  void leave(bool with_reply);
  void poll();
  void wait_for_reply();

  parameters real_;
  std::mt19937_64 random_;
  node local_, remote_;
  std::deque<reply> replies_;
  bool streams_ = false;  // the last operation was a send
};

// The processor of the probes: the caller's.
template <class World>
class processor_in {
 public:
  explicit processor_in(World& in) : in_(in) {}
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
using processor = processor_in<network>;

}  // namespace simulated
