#include "pieces.hpp"

#include <algorithm>
#include <cmath>

namespace simulated {

std::uint64_t pieces::read_clock() {
  cpu_free_ += real_.reading;
  return static_cast<std::uint64_t>(cpu_free_ / real_.tick);
}

std::vector<std::size_t> pieces::sizes() const {
  std::vector<std::size_t> out;
  for (std::size_t bytes = 64; bytes <= std::size_t{1} << 20; bytes *= 4) out.push_back(bytes);
  return out;
}

void pieces::move(const calib::exchange_piece& piece) {
  set(piece.bytes);
  move();
}

void pieces::move() {
  const auto n = static_cast<double>(bytes_);
  while (!starts_.empty() && starts_.front() <= cpu_free_) starts_.pop_front();
  if (starts_.size() >= real_.queue_length) {
    cpu_free_ = starts_.front();
    starts_.pop_front();
  }
  cpu_free_ += with_jitter(real_.o + n * real_.O);
  const double start = std::max(cpu_free_, interface_free_);
  interface_free_ = start + with_jitter(of(bytes_).g0 + n * of(bytes_).G);
  arrived_ = interface_free_ + real_.L;
  starts_.push_back(start);
}

// The query does not overtake pieces.
void pieces::wait_for_all() {
  cpu_free_ += real_.o_words;
  const double received = std::max(cpu_free_ + real_.L, arrived_) + real_.o_words;
  cpu_free_ = received + real_.o_words + real_.L + real_.o_words;
  starts_.clear();
}

double pieces::with_jitter(double ns) {
  const double part = std::ldexp(static_cast<double>(random_() >> 11U), -53);
  return ns * (1 + real_.jitter * (2 * part - 1));
}

const protocol& pieces::of(std::size_t bytes) const {
  const protocol* out = &real_.protocols.front();
  for (const protocol& one : real_.protocols)
    if (one.from <= static_cast<double>(bytes)) out = &one;
  return *out;
}

}  // namespace simulated
