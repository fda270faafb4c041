#include "multi_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simulated {

multi_rank_network::multi_rank_network(const multi_rank_parameters& real, std::uint64_t seed)
    : real_(real),
      random_(seed),
      processors_(real.processors),
      outstanding_(real.processors),
      targets_{1} {}

std::uint64_t multi_rank_network::read_clock() {
  now_ += real_.reading;
  return static_cast<std::uint64_t>(now_ / real_.tick);
}

// First all processors finish their work.
void multi_rank_network::set_pattern(calib::pattern p, calib::traffic load) {
  drain();
  others_window_ = load == calib::traffic::ping ? 1 : real_.window;
  for (processor_state& one : processors_) one.target = -1;
  while (!events_.empty()) {
    now_ = std::max(now_, events_.top().at);
    step();
  }
  targets_ = {1};
  next_target_ = 0;
  if (p == calib::pattern::one_to_many) {
    targets_.resize(real_.processors - 1);
    std::iota(targets_.begin(), targets_.end(), 1U);
  }
  for (unsigned rank = 2; rank < real_.processors; ++rank) {
    if (p == calib::pattern::pairs && rank % 2 == 0)
      processors_[rank].target = static_cast<int>(rank) + 1;
    if (p == calib::pattern::many_to_one) processors_[rank].target = 1;
    if (processors_[rank].target < 0) continue;
    processors_[rank].busy = true;
    schedule(now_, event_kind::ready, {0, rank, false});
  }
}

void multi_rank_network::request() {
  poll();
  const unsigned to = targets_[next_target_];
  next_target_ = (next_target_ + 1) % targets_.size();
  while (outstanding_[to] >= real_.window) wait();
  now_ += overhead_ns() + real_.requester_delay +
          real_.per_target_delay * static_cast<double>(targets_.size());
  ++outstanding_[to];
  schedule(now_, event_kind::departs, {0, to, false});
}

void multi_rank_network::drain() {
  while (std::accumulate(outstanding_.begin(), outstanding_.end(), std::uint64_t{0}) > 0) wait();
}

void multi_rank_network::poll() {
  while (!events_.empty() && events_.top().at <= now_) step();
  auto& inbox = processors_[0].inbox;
  for (; !inbox.empty(); inbox.pop_front()) {
    --outstanding_[inbox.front().from];
    now_ += overhead_ns();
  }
}

void multi_rank_network::wait() {
  while (processors_[0].inbox.empty()) {
    now_ = std::max(now_, events_.top().at);
    step();
  }
  poll();
}

void multi_rank_network::schedule(double at, event_kind kind, const message& carried) {
  events_.push({at, orders_++, kind, carried});
}

void multi_rank_network::step() {
  const event e = events_.top();
  events_.pop();
  switch (e.kind) {
    case event_kind::departs: return depart(e.at, e.carried);
    case event_kind::arrives: return arrive(e.at, e.carried);
    case event_kind::delivered: return deliver(e.at, e.carried);
    case event_kind::ready: return run_processor(e.at, e.carried.to);
  }
}

// An interface sends at most one message per g, and receives at most one per g.
void multi_rank_network::depart(double at, const message& m) {
  double& sent = processors_[real_.one_interface ? 0 : m.from].sent;
  sent = std::max(at, sent + real_.g);
  schedule(sent + real_.L, event_kind::arrives, m);
}

void multi_rank_network::arrive(double at, const message& m) {
  double& received = processors_[m.to].received;
  received = std::max(at, received + real_.g);
  schedule(received, event_kind::delivered, m);
}

void multi_rank_network::deliver(double at, const message& m) {
  processor_state& here = processors_[m.to];
  here.inbox.push_back(m);
  if (m.to == 0 || here.busy) return;
  here.busy = true;
  schedule(at, event_kind::ready, {0, m.to, false});
}

// Handles one message, or sends one request.
void multi_rank_network::run_processor(double at, unsigned rank) {
  processor_state& here = processors_[rank];
  double end = at;
  if (!here.inbox.empty()) {
    const message m = here.inbox.front();
    here.inbox.pop_front();
    end = handle(at, m);
  } else if (here.target >= 0 && here.outstanding < others_window_) {
    end += overhead_ns() + real_.requester_delay + real_.per_target_delay;
    ++here.outstanding;
    schedule(end, event_kind::departs, {rank, static_cast<unsigned>(here.target), false});
  } else {
    here.busy = false;
    return;
  }
  schedule(end, event_kind::ready, {0, rank, false});
}

// Returns the time when the message has been handled.
double multi_rank_network::handle(double at, const message& m) {
  processor_state& here = processors_[m.to];
  double end = at + overhead_ns();
  if (m.is_reply) {
    --here.outstanding;
    return end;
  }
  end += overhead_ns() + real_.responder_delay +
         (here.inbox.size() > real_.window ? real_.contention_delay : 0);
  schedule(end, event_kind::departs, {m.to, m.from, true});
  return end;
}

double multi_rank_network::overhead_ns() {
  const double part = std::ldexp(static_cast<double>(random_() >> 11U), -53);
  return real_.o * (1 + real_.jitter * (2 * part - 1));
}

}  // namespace simulated
