// Two processors and a network with the cards of AM_DIAL, in virtual time: a layer and a mover for
// the probe of the dials. Its LogGP parameters are known, so what a dial adds is exact, or the
// arithmetic of the cards is wrong.
#pragma once

#include <transports/dial/card.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace simulated {

struct dialled_parameters {
  double o_s = 200, o_r = 300, L = 500;  // ns, with what is added
  double g_s = 0, g_r = 0;               // ns, at least
  double G = 0;                          // ns/B, at least
  std::uint64_t window = 512;
  double tick = 1;      // the resolution of the clock, ns
  double reading = 20;  // the cost of reading the clock, ns
};

class dialled_network {
 public:
  explicit dialled_network(const dialled_parameters& real) : real_(real) {}

  // ---- the caller's processor ----
  std::uint64_t read_clock();  // in ticks
  void compute(double ns) { here_.free += ns; }
  [[nodiscard]] const dialled_parameters& real() const { return real_; }

  // ---- the layer ----
  void request();
  void request_without_poll() { send(); }
  void receive_reply() { wait_for_reply(); }
  void ping();
  void drain();
  [[nodiscard]] bool intact() const { return true; }
  [[nodiscard]] std::uint64_t flood_length() const { return 4 * real_.window; }
  [[nodiscard]] std::uint64_t window() const { return real_.window; }

  // ---- the mover ----
  [[nodiscard]] std::string name() const { return "medium"; }
  [[nodiscard]] std::vector<std::size_t> sizes() const { return {1024, 4096}; }
  void set(std::size_t bytes) { bytes_ = bytes; }
  void move();
  void wait_for_all();

 private:
  // Times in ns; those of the cards in thousandths.
  struct node {
    am::detail::dial::sender_card sends;
    am::detail::dial::receiver_card receives;
    double free = 0;  // when the processor is idle
  };

  [[nodiscard]] node make_node() const;
  double deliver(node& from, node& to, std::size_t bytes);
  void send();
  void wait_for_reply();

  const dialled_parameters real_;
  node here_ = make_node();
  node there_ = make_node();
  std::deque<double> replies_;  // when they are due
  std::size_t bytes_ = 0;
};

}  // namespace simulated
