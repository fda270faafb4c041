// Several processors in one network with known parameters, a discrete-event simulation in virtual
// time. The caller is processor 0. By the pattern, some others send requests all the time, up to
// their window or one by one. All reply to requests one by one, in the order of arrival. The
// parameters select what processors share and how they delay each other.
#pragma once

#include <calib/program/multi_rank_probe.hpp>

#include <cstdint>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace simulated {

struct multi_rank_parameters {
  unsigned processors;          // even
  double o, L, g;               // ns: overhead at either end, latency, gap of one interface
  std::uint64_t window;         // the limit of outstanding requests per requester and responder
  double requester_delay = 0;   // ns more per request at a requester
  double responder_delay = 0;   // ns more per request at a responder
  double per_target_delay = 0;  // ns more per request and target at a requester
  double contention_delay = 0;  // ns more at a responder while more than a window of requests waits
  bool one_interface = false;   // all messages leave through one interface
  double jitter = 0;            // o varies by up to this part
  double tick = 1;              // the resolution of the clock, ns
  double reading = 20;          // the cost of reading the clock, ns
};

class multi_rank_network {
 public:
  multi_rank_network(const multi_rank_parameters& real, std::uint64_t seed);

  // ---- the caller's processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns) { now_ += ns; }
  [[nodiscard]] const multi_rank_parameters& real() const { return real_; }

  // ---- the layer ----
  void set_pattern(calib::pattern p, calib::traffic load);
  void request();
  void drain();
  void ping() {
    request();
    drain();
  }
  [[nodiscard]] bool intact() const { return true; }
  [[nodiscard]] unsigned ranks() const { return real_.processors; }
  [[nodiscard]] std::uint64_t steady_length() const { return 4 * real_.window; }
  [[nodiscard]] std::uint64_t flood_length() const { return steady_length(); }

 private:
  struct message {
    unsigned from, to;
    bool is_reply;
  };
  // ready: the processor carried.to can handle or send its next message.
  enum class event_kind { departs, arrives, delivered, ready };
  struct event {
    double at;
    std::uint64_t order;  // of events at the same time
    event_kind kind;
    message carried;
  };
  struct later {
    bool operator()(const event& a, const event& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct processor_state {
    double sent = -1e30;      // when the last message left the interface
    double received = -1e30;  // when the last message arrived
    bool busy = false;
    std::deque<message> inbox;
    int target = -1;  // of its requests; -1: it sends none
    std::uint64_t outstanding = 0;
  };

  void schedule(double at, event_kind kind, const message& carried);
  void step();
  void depart(double at, const message& m);
  void arrive(double at, const message& m);
  void deliver(double at, const message& m);
  void run_processor(double at, unsigned rank);
  double handle(double at, const message& m);
  void poll();
  void wait();
  double overhead_ns();

  multi_rank_parameters real_;
  std::mt19937_64 random_;
  double now_ = 0;  // the caller's time
  std::vector<processor_state> processors_;
  std::vector<std::uint64_t> outstanding_;  // requests of the caller, by responder
  std::vector<unsigned> targets_;           // of the caller, in turn
  std::size_t next_target_ = 0;
  std::uint64_t others_window_ = 0;  // of the other requesters
  std::priority_queue<event, std::vector<event>, later> events_;
  std::uint64_t orders_ = 0;
};

}  // namespace simulated
