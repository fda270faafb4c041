// Pieces of data between two processors with known LogGP parameters, in virtual time: a mover for
// the probes. Sending occupies the processor for o + n O; then the piece waits for the network
// interface, occupies it for g0 + n G, and arrives L later. What may be otherwise in a real network
// is a parameter of its own.
#pragma once

#include <calib/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace simulated {

// For pieces of `from` bytes and more.
struct protocol {
  double from;
  double g0, G;  // ns, ns/B
};

// The first pieces on an idle network have longer gaps, if they have from `from` to `to` bytes.
struct slow_start {
  std::size_t pieces = 0;
  double factor = 1;
  double from = 0, to = 0;
};

struct piece_parameters {
  double o, O;                      // ns, ns/B
  double L;                         // ns
  double o_words;                   // overhead of a message of words, at either end
  std::vector<protocol> protocols;  // by size
  std::size_t queue_length = 8;     // pieces that wait at the interface before the sender waits
  double jitter = 0;                // all of these vary by up to this part
  double tick = 1;                  // the resolution of the clock, ns
  double reading = 20;              // the cost of reading the clock, ns
  double answer = 0;                // what a call takes for each answer that has arrived
  slow_start start = {};
  std::vector<protocol> uncached = {};  // of pieces that are in no cache; empty: the same
  bool duplex = false;                  // gets have a network interface of their own
};

class pieces {
 public:
  pieces(const piece_parameters& real, std::uint64_t seed) : real_(real), random_(seed) {}

  // ---- the processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns) { cpu_free_ += ns; }
  [[nodiscard]] const piece_parameters& real() const { return real_; }

  // ---- the mover ----
  [[nodiscard]] std::string name() const { return "store"; }
  [[nodiscard]] std::vector<std::size_t> sizes() const;
  void set(std::size_t bytes) { bytes_ = bytes; }
  void move();
  void move(const calib::exchange_piece& piece);  // all kinds cost the same
  void wait_for_all();
  void evict(std::size_t bytes) { evicted_bytes_ = bytes; }
  void evict();  // the pieces of one exchange
  [[nodiscard]] bool intact() const { return true; }

  // Of four words and their reply, on an idle network.
  [[nodiscard]] double round_trip() const { return 4 * real_.o_words + 2 * real_.L; }

 private:
  [[nodiscard]] double with_jitter(double ns);
  void send(bool by_second_interface);
  void read_answers();
  [[nodiscard]] double gap();

  piece_parameters real_;
  std::mt19937_64 random_;
  std::size_t bytes_ = 64;
  double cpu_free_ = 0;            // when the processor is idle
  double interface_free_[2] = {};  // when each interface is idle
  double arrived_ = 0;             // when the last piece arrives
  std::deque<double> starts_;      // when the waiting pieces get the interface
  std::deque<double> answers_;     // when they arrive
  std::size_t evicted_bytes_ = 0;  // of the next pieces
  std::size_t pieces_since_idle_ = 0;
};

}  // namespace simulated
