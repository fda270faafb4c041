#include "pieces.hpp"

#include <algorithm>
#include <cmath>

namespace simulated {
namespace {

const protocol& protocol_of(const std::vector<protocol>& all, double bytes) {
  const protocol* out = &all.front();
  for (const protocol& one : all)
    if (one.from <= bytes) out = &one;
  return *out;
}

}  // namespace

std::uint64_t pieces::read_clock() {
  cpu_free_ += real_.reading;
  return static_cast<std::uint64_t>(cpu_free_ / real_.tick);
}

std::vector<std::size_t> pieces::sizes() const {
  std::vector<std::size_t> out;
  for (std::size_t bytes = 64; bytes <= std::size_t{1} << 20; bytes *= 4) out.push_back(bytes);
  return out;
}

void pieces::move() { send(false); }

void pieces::move(const calib::exchange_piece& piece) {
  set(piece.bytes);
  send(real_.duplex && piece.what == calib::operation::get);
}

void pieces::evict() {
  evicted_bytes_ = 0;
  for (const calib::exchange_piece& piece : calib::exchange()) evicted_bytes_ += piece.bytes;
}

// A piece over the second interface follows those that have gone over the first.
void pieces::send(bool by_second_interface) {
  read_answers();
  while (!starts_.empty() && starts_.front() <= cpu_free_) starts_.pop_front();
  if (starts_.size() >= real_.queue_length) {
    cpu_free_ = starts_.front();
    starts_.pop_front();
  }
  cpu_free_ += with_jitter(real_.o + static_cast<double>(bytes_) * real_.O);
  double& free = interface_free_[by_second_interface ? 1 : 0];
  const double start = std::max({cpu_free_, interface_free_[0], free});
  free = start + gap();
  arrived_ = std::max(arrived_, free + real_.L);
  starts_.push_back(start);
  answers_.push_back(arrived_ + real_.o_words + real_.L);
}

void pieces::read_answers() {
  for (; !answers_.empty() && answers_.front() <= cpu_free_; answers_.pop_front())
    cpu_free_ += with_jitter(real_.answer);
}

// Of the next piece.
double pieces::gap() {
  const auto n = static_cast<double>(bytes_);
  const bool is_evicted = evicted_bytes_ >= bytes_;
  evicted_bytes_ -= is_evicted ? bytes_ : evicted_bytes_;
  const bool differs = is_evicted && !real_.uncached.empty();
  const protocol& by = protocol_of(differs ? real_.uncached : real_.protocols, n);
  const slow_start& slow = real_.start;
  const bool is_slow = pieces_since_idle_++ < slow.pieces && slow.from <= n && n <= slow.to;
  return with_jitter(by.g0 + n * by.G) * (is_slow ? slow.factor : 1);
}

// The query does not overtake pieces.
void pieces::wait_for_all() {
  cpu_free_ += real_.o_words;
  const double received = std::max(cpu_free_ + real_.L, arrived_) + real_.o_words;
  cpu_free_ = received + real_.o_words + real_.L + real_.o_words;
  starts_.clear();
  answers_.clear();
  pieces_since_idle_ = 0;
}

double pieces::with_jitter(double ns) {
  const double part = std::ldexp(static_cast<double>(random_() >> 11U), -53);
  return ns * (1 + real_.jitter * (2 * part - 1));
}

}  // namespace simulated
