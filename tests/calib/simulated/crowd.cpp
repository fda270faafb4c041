#include "crowd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simulated {

crowd::crowd(const crowd_parameters& real, std::uint64_t seed)
    : real_(real), random_(seed), places_(real.places), open_(real.places), asked_{1} {}

std::uint64_t crowd::read_clock() {
  now_ += real_.reading;
  return static_cast<std::uint64_t>(now_ / real_.tick);
}

// First everybody ends what he is at.
void crowd::form(calib::pattern p, calib::work w) {
  drain();
  others_window_ = w == calib::work::ping ? 1 : real_.window;
  for (place& one : places_) one.asks = -1;
  while (!events_.empty()) {
    now_ = std::max(now_, events_.top().at);
    step();
  }
  asked_ = {1};
  turn_ = 0;
  if (p == calib::pattern::one_to_many) {
    asked_.resize(real_.places - 1);
    std::iota(asked_.begin(), asked_.end(), 1U);
  }
  for (unsigned who = 2; who < real_.places; ++who) {
    if (p == calib::pattern::pairs && who % 2 == 0) places_[who].asks = static_cast<int>(who) + 1;
    if (p == calib::pattern::many_to_one) places_[who].asks = 1;
    if (places_[who].asks < 0) continue;
    places_[who].busy = true;
    happen(now_, what::works, {0, who, false});
  }
}

void crowd::ask() {
  look();
  const unsigned to = asked_[turn_];
  turn_ = (turn_ + 1) % asked_.size();
  while (open_[to] >= real_.window) wait();
  now_ += engaged() + real_.thinking + real_.choosing * static_cast<double>(asked_.size());
  ++open_[to];
  happen(now_, what::leaves, {0, to, false});
}

void crowd::drain() {
  while (std::accumulate(open_.begin(), open_.end(), std::uint64_t{0}) > 0) wait();
}

void crowd::look() {
  while (!events_.empty() && events_.top().at <= now_) step();
  auto& come = places_[0].come;
  for (; !come.empty(); come.pop_front()) {
    --open_[come.front().from];
    now_ += engaged();
  }
}

void crowd::wait() {
  while (places_[0].come.empty()) {
    now_ = std::max(now_, events_.top().at);
    step();
  }
  look();
}

void crowd::happen(double at, what happens, const message& about) {
  events_.push({at, orders_++, happens, about});
}

void crowd::step() {
  const event e = events_.top();
  events_.pop();
  switch (e.happens) {
    case what::leaves: return leave(e.at, e.about);
    case what::arrives: return arrive(e.at, e.about);
    case what::lands: return land(e.at, e.about);
    case what::works: return work(e.at, e.about.to);
  }
}

// An interface lets a message out every g at most, and one in.
void crowd::leave(double at, const message& m) {
  double& left = places_[real_.one_interface ? 0 : m.from].left;
  left = std::max(at, left + real_.g);
  happen(left + real_.L, what::arrives, m);
}

void crowd::arrive(double at, const message& m) {
  double& landed = places_[m.to].landed;
  landed = std::max(at, landed + real_.g);
  happen(landed, what::lands, m);
}

void crowd::land(double at, const message& m) {
  place& here = places_[m.to];
  here.come.push_back(m);
  if (m.to == 0 || here.busy) return;
  here.busy = true;
  happen(at, what::works, {0, m.to, false});
}

// One message, or one request of its own.
void crowd::work(double at, unsigned who) {
  place& here = places_[who];
  double end = at;
  if (!here.come.empty()) {
    const message m = here.come.front();
    here.come.pop_front();
    end = answer(at, m);
  } else if (here.asks >= 0 && here.open < others_window_) {
    end += engaged() + real_.thinking + real_.choosing;
    ++here.open;
    happen(end, what::leaves, {who, static_cast<unsigned>(here.asks), false});
  } else {
    here.busy = false;
    return;
  }
  happen(end, what::works, {0, who, false});
}

// When that is done.
double crowd::answer(double at, const message& m) {
  place& here = places_[m.to];
  double end = at + engaged();
  if (m.answer) {
    --here.open;
    return end;
  }
  end += engaged() + real_.turnaround + (here.come.size() > real_.window ? real_.crush : 0);
  happen(end, what::leaves, {m.to, m.from, true});
  return end;
}

double crowd::engaged() {
  const double part = std::ldexp(static_cast<double>(random_() >> 11U), -53);
  return real_.o * (1 + real_.jitter * (2 * part - 1));
}

}  // namespace simulated
