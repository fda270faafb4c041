// Pieces of data between two processors whose LogGP parameters are known, in virtual time: a mover
// of the probes. Sending engages the processor for o + n O; then the piece waits for its turn at
// the network interface, engages that for g0 + n G, and is there L later.
#pragma once

#include <calib/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace simulated {

// Of pieces of `from` bytes and more.
struct protocol {
  double from;
  double g0, G;  // ns, ns/B
};

struct piece_parameters {
  double o, O;                      // ns, ns/B
  double L;                         // ns
  double o_words;                   // of a message of some words, at either end
  std::vector<protocol> protocols;  // by size
  std::size_t room = 8;             // so many pieces wait at the interface before the sender does
  double jitter = 0;                // all of these are up to this part longer or shorter
  double tick = 1;                  // of the clock, in ns
  double reading = 20;              // the clock, in ns
};

class pieces {
 public:
  pieces(const piece_parameters& real, std::uint64_t seed) : real_(real), random_(seed) {}

  // ---- the processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns) { free_ += ns; }
  [[nodiscard]] const piece_parameters& real() const { return real_; }

  // ---- the mover ----
  [[nodiscard]] std::string name() const { return "store"; }
  [[nodiscard]] std::vector<std::size_t> sizes() const;
  void set(std::size_t bytes) { bytes_ = bytes; }
  void move();
  void move(const calib::exchanged& piece);  // all kinds are alike here
  void settle();
  [[nodiscard]] bool intact() const { return true; }

  // Four words there and back, from quiet.
  [[nodiscard]] double round_trip() const { return 4 * real_.o_words + 2 * real_.L; }

 private:
  [[nodiscard]] double about(double ns);
  [[nodiscard]] const protocol& of(std::size_t bytes) const;

  piece_parameters real_;
  std::mt19937_64 random_;
  std::size_t bytes_ = 64;
  double free_ = 0;           // the processor is
  double idle_ = 0;           // the interface is
  double landed_ = 0;         // the last piece is there
  std::deque<double> begun_;  // when the pieces that wait at the interface get it
};

}  // namespace simulated
