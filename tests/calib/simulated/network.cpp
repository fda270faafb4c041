#include "network.hpp"

#include <algorithm>
#include <cmath>

namespace simulated {
namespace {

double part_of(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 11U), -53);
}

}  // namespace

std::uint64_t network::read_clock() {
  local_.free += real_.reading;
  return static_cast<std::uint64_t>(local_.free / real_.tick);
}

void network::compute(double ns) {
  if (ns == 0) return;
  local_.free += ns * (1 + real_.compute_jitter * part_of(random_));
  streams_ = false;
}

void network::ping() {
  request();
  drain();
}

void network::drain() {
  while (!replies_.empty()) wait_for_reply();
}

double network::within(double ns, double part) {
  return ns * (1 + part * (2 * part_of(random_) - 1));
}

double network::with_jitter(double ns) {
  return within(ns, real_.jitter) + (part_of(random_) < real_.outlier_rate ? 100 * ns : 0);
}

// The arrival time of a message that is sent at `ready`. Messages stay in order, and arrive no
// closer to each other than they may leave.
double network::arrival(node& from, node& to, double ready) {
  from.sent = std::max(ready, from.sent + real_.g);
  return to.received = std::max(from.sent + within(real_.L, real_.latency_jitter),
                                to.received + real_.g * (1 - real_.latency_jitter));
}

network::reply network::serve(double at, bool with_reply) {
  const bool waited = at < remote_.free;
  const double share = waited ? real_.batch : 1;
  const double wake_up = at > remote_.free + real_.awake ? real_.wake_up : 0;
  remote_.free = std::max(at, remote_.free) + wake_up + with_jitter(real_.o_r / share);
  if (!with_reply) return {remote_.free + real_.L, false};
  remote_.free += with_jitter(real_.o_s / share);
  return {arrival(remote_, local_, remote_.free), true};
}

void network::send(bool with_reply) {
  poll();
  while (replies_.size() >= real_.window) wait_for_reply();
  leave(with_reply);
}

void network::leave(bool with_reply) {
  local_.free += with_jitter(real_.o_s / (streams_ ? real_.batch : 1));
  streams_ = true;
  replies_.push_back(serve(arrival(local_, remote_, local_.free), with_reply));
}

// Of the messages that have arrived at the start of the poll, `batch` share one overhead.
void network::poll() {
  const double start = local_.free;
  for (unsigned count = 0; !replies_.empty() && replies_.front().at <= start; ++count) {
    if (replies_.front().read && count % real_.batch == 0) local_.free += with_jitter(real_.o_r);
    replies_.pop_front();
  }
}

void network::wait_for_reply() {
  if (replies_.front().at > local_.free) {
    local_.free = replies_.front().at;
    streams_ = false;
  }
  poll();
}

}  // namespace simulated
