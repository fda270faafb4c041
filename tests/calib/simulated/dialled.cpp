#include "dialled.hpp"

#include <algorithm>

namespace simulated {
namespace {

using am::detail::dial::fragment_sizes;
using am::detail::dial::ticks;

constexpr fragment_sizes usual_fragments{4096, 256};
constexpr double ticks_per_ns = 1000;
constexpr double own_gap = 400;         // ns, of a message
constexpr double own_byte_time = 0.05;  // ns

ticks ticks_of(double ns) { return static_cast<ticks>(ns * ticks_per_ns + 0.5); }

}  // namespace

dialled_network::node dialled_network::make_node() const {
  return {{ticks_of(std::max(real_.g_s, own_gap)), std::max(real_.G, own_byte_time) * ticks_per_ns,
           usual_fragments},
          am::detail::dial::receiver_card(ticks_of(real_.g_r))};
}

std::uint64_t dialled_network::read_clock() {
  here_.free += real_.reading;
  return static_cast<std::uint64_t>(here_.free / real_.tick);
}

// The processor of `from` has handed the message to its card. Returns when it is due.
double dialled_network::deliver(node& from, node& to, std::size_t bytes) {
  const ticks leave = from.sends.send(ticks_of(from.free), bytes);
  const ticks due = to.receives.due(leave + ticks_of(real_.L), usual_fragments.count(bytes));
  to.receives.receive(due);
  return static_cast<double>(due) / ticks_per_ns;
}

void dialled_network::send() {
  here_.free += real_.o_s;
  there_.free = std::max(there_.free, deliver(here_, there_, 0)) + real_.o_r + real_.o_s;
  replies_.push_back(deliver(there_, here_, 0));
}

void dialled_network::wait_for_reply() {
  here_.free = std::max(here_.free, replies_.front()) + real_.o_r;
  replies_.pop_front();
}

void dialled_network::request() {
  while (!replies_.empty() && replies_.front() <= here_.free) wait_for_reply();
  if (replies_.size() == real_.window) wait_for_reply();
  send();
}

void dialled_network::drain() {
  while (!replies_.empty()) wait_for_reply();
}

void dialled_network::ping() {
  request();
  drain();
}

void dialled_network::move() {
  here_.free += real_.o_s;
  there_.free = std::max(there_.free, deliver(here_, there_, bytes_)) + real_.o_r;
}

void dialled_network::wait_for_all() {
  there_.free += real_.o_s;
  here_.free = std::max(here_.free, deliver(there_, here_, 0)) + real_.o_r;
}

}  // namespace simulated
