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
  here_.free += real_.reading;
  return static_cast<std::uint64_t>(here_.free / real_.tick);
}

void network::compute(double ns) {
  if (ns == 0) return;
  here_.free += ns * (1 + real_.unsteady * part_of(random_));
  streams_ = false;
}

void network::ping() {
  ask();
  drain();
}

void network::drain() {
  while (!coming_.empty()) wait_for_answer();
}

double network::about(double ns, double part) {
  return ns * (1 + part * (2 * part_of(random_) - 1));
}

double network::engaged(double ns) {
  return about(ns, real_.jitter) + (part_of(random_) < real_.disturbed ? 100 * ns : 0);
}

// When a message arrives that is ready to leave at `ready`: messages neither overtake each other
// nor come in closer to each other than they may leave.
double network::carry(place& from, place& to, double ready) {
  from.left = std::max(ready, from.left + real_.g);
  return to.landed = std::max(from.left + about(real_.L, real_.flutter),
                              to.landed + real_.g * (1 - real_.flutter));
}

network::answer network::served(double at, bool answered) {
  const bool waited = at < there_.free;
  const double share = waited ? real_.shared : 1;
  there_.free = std::max(at, there_.free) + engaged(real_.o_r / share);
  if (!answered) return {there_.free + real_.L, false};
  there_.free += engaged(real_.o_s / share);
  return {carry(there_, here_, there_.free), true};
}

void network::send(bool answered) {
  look();
  while (coming_.size() >= real_.window) wait_for_answer();
  leave(answered);
}

void network::leave(bool answered) {
  here_.free += engaged(real_.o_s / (streams_ ? real_.shared : 1));
  streams_ = true;
  coming_.push_back(served(carry(here_, there_, here_.free), answered));
}

// Of what has come when it begins to look, `shared` share one overhead.
void network::look() {
  const double begun = here_.free;
  for (unsigned taken = 0; !coming_.empty() && coming_.front().at <= begun; ++taken) {
    if (coming_.front().read && taken % real_.shared == 0) here_.free += engaged(real_.o_r);
    coming_.pop_front();
  }
}

void network::wait_for_answer() {
  if (coming_.front().at > here_.free) {
    here_.free = coming_.front().at;
    streams_ = false;
  }
  look();
}

}  // namespace simulated
