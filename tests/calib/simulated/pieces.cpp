#include "pieces.hpp"

#include <algorithm>
#include <cmath>

namespace simulated {

std::uint64_t pieces::read_clock() {
  free_ += real_.reading;
  return static_cast<std::uint64_t>(free_ / real_.tick);
}

std::vector<std::size_t> pieces::sizes() const {
  std::vector<std::size_t> out;
  for (std::size_t bytes = 64; bytes <= std::size_t{1} << 20; bytes *= 4) out.push_back(bytes);
  return out;
}

void pieces::move(const calib::exchanged& piece) {
  set(piece.bytes);
  move();
}

void pieces::move() {
  const auto n = static_cast<double>(bytes_);
  while (!begun_.empty() && begun_.front() <= free_) begun_.pop_front();
  if (begun_.size() >= real_.room) {
    free_ = begun_.front();
    begun_.pop_front();
  }
  free_ += about(real_.o + n * real_.O);
  const double turn = std::max(free_, idle_);
  idle_ = turn + about(of(bytes_).g0 + n * of(bytes_).G);
  landed_ = idle_ + real_.L;
  begun_.push_back(turn);
}

// The question does not overtake pieces.
void pieces::settle() {
  free_ += real_.o_words;
  const double asked = std::max(free_ + real_.L, landed_) + real_.o_words;
  free_ = asked + real_.o_words + real_.L + real_.o_words;
  begun_.clear();
}

double pieces::about(double ns) {
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
