#include "comb_library.hpp"

#include <calib/program/comb_messages.hpp>

#include <algorithm>

namespace simulated {

// The number of a message of comb_queue that ends it.
constexpr std::uint64_t no_answer = ~std::uint64_t{0};

static_assert(calib::comb_messages<comb_library>);

std::uint64_t comb_library::read_clock() {
  now_ += real_.reading;
  return static_cast<std::uint64_t>(now_ / real_.tick);
}

// Messages that have moved meanwhile interrupt it.
void comb_library::compute(double ns) {
  while (!interrupts_.empty() && interrupts_.top() < now_) interrupts_.pop();
  double end = now_ + ns;
  for (; !interrupts_.empty() && interrupts_.top() < end; interrupts_.pop()) end += real_.interrupt;
  now_ = end;
}

// Everything has been received but what was posted since.
void comb_library::barrier() {
  sent_ = {};
  numbers_.clear();
  sent_.card = received_.card = now_;
  interrupts_ = {};
  first_ = received_.ends.size();
  if (has_begun_) offered_.assign(real_.depth, now_);
  has_begun_ = true;
  receive_alone();
}

comb_library::request comb_library::irecv(int, int, std::byte* room, std::size_t bytes) {
  now_ += real_.post;
  const std::uint64_t number = received_.bytes.size();
  received_.bytes.push_back(bytes);
  receive_alone();
  return {false, number, room};
}

comb_library::request comb_library::isend(int, int, const std::byte* data, std::size_t bytes) {
  now_ += real_.post;
  const std::uint64_t number = sent_.bytes.size();
  sent_.bytes.push_back(bytes);
  numbers_.push_back(calib::read_number(data));
  if (number == sent_.ends.size() && (alone(bytes) || bytes <= real_.eager)) send_now(number);
  return {true, number, nullptr};
}

bool comb_library::test(request& one) {
  now_ += real_.poll;
  progress();
  if (end_of(one) > now_) return false;
  finish(one);
  return true;
}

void comb_library::wait(request& one) {
  now_ += real_.poll;
  for (progress(); end_of(one) > now_; progress()) now_ = next_event(one);
  finish(one);
}

void comb_library::wait_all(std::span<request> all) {
  for (request& one : all) wait(one);
}

double comb_library::end_of(const request& one) const {
  const std::vector<double>& ends = one.is_send ? sent_.ends : received_.ends;
  return one.number < ends.size() ? ends[one.number] : never;
}

// What to wait for: the end of the request, or the next message that a call can take.
double comb_library::next_event(const request& one) const {
  return std::min(end_of(one), next_offer());
}

double comb_library::next_offer() const {
  const std::size_t next = received_.ends.size();
  if (next == received_.bytes.size() || next - first_ >= offered_.size()) return never;
  return offered_[next - first_] + real_.L;
}

// The other process counts from the number with which the worker began.
void comb_library::finish(const request& one) const {
  if (!one.is_send && one.number != real_.lost)
    calib::write_number(one.room, numbers_.at(0) + one.number - first_);
}

// Returns when it has moved. The worker's own processor is busy meanwhile.
double comb_library::move(std::size_t bytes, double ready, double& card) {
  const double ns = real_.G * static_cast<double>(bytes);
  if (!real_.moves_alone) return now_ += ns;
  card = std::max(ready, card) + ns;
  interrupts_.push(card);
  return card;
}

void comb_library::send_now(std::uint64_t number) {
  sent_.ends.push_back(move(sent_.bytes[number], now_, sent_.card));
  if (numbers_[number] != no_answer) offered_.push_back(sent_.ends.back() + real_.L);  // the answer
  receive_alone();
}

void comb_library::receive_alone() {
  for (double at = next_offer(); at < never; at = next_offer()) {
    const std::size_t bytes = received_.bytes[received_.ends.size()];
    if (!alone(bytes)) return;
    received_.ends.push_back(move(bytes, at, received_.card));
  }
}

// A library call: what has been posted begins to move, and so does what has been offered.
void comb_library::progress() {
  while (sent_.ends.size() < sent_.bytes.size()) send_now(sent_.ends.size());
  while (next_offer() <= now_)
    received_.ends.push_back(move(received_.bytes[received_.ends.size()], now_, received_.card));
}

}  // namespace simulated
