// Swaps the packets of an experiment by one of the protocols, in the order of set A or B.
#pragma once

#include <calib/program/commtest/protocols.hpp>
#include <calib/program/two_sided.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace calib {

// The messages of an experiment, one after another: each packet `repeats` times.
class packet_walk {
 public:
  // In `other_room` bytes behind `in` every second message is received. 0: all are received in one
  // place.
  packet_walk(const std::byte* out, std::byte* in, std::size_t bytes, unsigned packets,
              unsigned repeats, std::size_t other_room)
      : out_(out),
        in_(in),
        bytes_(bytes),
        left_(packets),
        repeats_(repeats),
        other_room_(other_room) {}

  [[nodiscard]] bool ended() const noexcept { return left_ == 0; }
  void advance() noexcept {
    odd_ = !odd_;
    if (++repeat_ < repeats_) return;
    repeat_ = 0;
    --left_;
    out_ += bytes_;
    in_ += bytes_;
  }

  [[nodiscard]] const std::byte* out() const noexcept { return out_; }
  [[nodiscard]] std::byte* in() const noexcept { return odd_ ? in_ + other_room_ : in_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Two messages in a row differ in it.
  [[nodiscard]] std::size_t slot() const noexcept { return odd_ ? 1 : 0; }

 private:
  const std::byte* out_;
  std::byte* in_;
  std::size_t bytes_;
  unsigned left_;  // packets
  unsigned repeats_;
  std::size_t other_room_;
  unsigned repeat_ = 0;
  bool odd_ = false;
};

// One process of a pair. The first half of the library's ranks are first processes, each with the
// rank that has the same place in the second half.
template <two_sided Library>
class swapper {
 public:
  swapper(Library& l, const swap_protocol& by) : l_(l) {
    const int half = l.ranks() / 2;
    const bool first = l.rank() < half;
    peer_ = first ? l.rank() + half : l.rank() - half;
    side_ = first ? by.first : by.second;
    replies_ = by.ordered && !first;
    announces_ = by.announced == announcement::by_both ||
                 (by.announced == announcement::by_second && !first);
    awaits_ =
        by.announced == announcement::by_both || (by.announced == announcement::by_second && first);
  }

  [[nodiscard]] int peer() const noexcept { return peer_; }
  // Whether in set B two receives are posted at a time.
  [[nodiscard]] bool posts() const noexcept { return side_.receive == receive_call::irecv; }

  void swap_plainly(packet_walk at) {
    for (; !at.ended(); at.advance()) {
      post(at);
      swap(at);
      complete_send(at.slot());
    }
  }

  // Set B. The first receive is posted before the clock starts, and the last send is completed
  // before it stops.
  void prepost(const packet_walk& first) { post(first); }
  void swap_reordered(packet_walk at) {
    packet_walk next = at;
    for (; !at.ended(); at.advance()) {
      next.advance();
      if (!next.ended()) post(next);
      swap(at);
      complete_send(at.slot() ^ 1U);  // of the message before
    }
    for (const std::size_t slot : {0U, 1U}) complete_send(slot);  // of the last message
  }

 private:
  static constexpr int data_tag = 1;
  static constexpr int ready_tag = 2;

  void post(const packet_walk& at) {
    if (!posts()) return;
    receives_[at.slot()] = l_.irecv(peer_, data_tag, at.in(), at.bytes());
    if (announces_) announce();
  }

  void swap(const packet_walk& at) {
    if (side_.send == send_call::sendrecv)
      return l_.sendrecv(peer_, data_tag, at.out(), at.bytes(), peer_, data_tag, at.in(),
                         at.bytes());
    if (replies_) receive(at);
    send(at);
    if (!replies_) receive(at);
  }

  void receive(const packet_walk& at) {
    if (posts()) return l_.wait(receives_[at.slot()]);
    if (!announces_) return l_.recv(peer_, data_tag, at.in(), at.bytes());
    receives_[at.slot()] = l_.irecv(peer_, data_tag, at.in(), at.bytes());
    announce();
    l_.wait(receives_[at.slot()]);
  }

  void send(const packet_walk& at) {
    if (awaits_) l_.recv(peer_, ready_tag, &nothing_, 0);
    const auto begun = [&](typename Library::request one) {
      sends_[at.slot()] = std::move(one);
      sending_[at.slot()] = true;
    };
    switch (side_.send) {
      case send_call::send: return l_.send(peer_, data_tag, at.out(), at.bytes());
      case send_call::bsend: return l_.bsend(peer_, data_tag, at.out(), at.bytes());
      case send_call::ssend: return l_.ssend(peer_, data_tag, at.out(), at.bytes());
      case send_call::rsend: return l_.rsend(peer_, data_tag, at.out(), at.bytes());
      case send_call::isend: return begun(l_.isend(peer_, data_tag, at.out(), at.bytes()));
      case send_call::issend: return begun(l_.issend(peer_, data_tag, at.out(), at.bytes()));
      case send_call::irsend: return begun(l_.irsend(peer_, data_tag, at.out(), at.bytes()));
      case send_call::sendrecv: return;  // swap() has done it
    }
  }

  void complete_send(std::size_t slot) {
    if (!sending_[slot]) return;
    l_.wait(sends_[slot]);
    sending_[slot] = false;
  }
  void announce() { l_.send(peer_, ready_tag, &nothing_, 0); }

  Library& l_;
  int peer_ = 0;
  swap_side side_{};
  bool replies_ = false;    // sends what it has received
  bool announces_ = false;  // that a receive is posted
  bool awaits_ = false;     // such an announcement
  std::array<typename Library::request, 2> receives_{}, sends_{};
  std::array<bool, 2> sending_{};
  std::byte nothing_{};
};

}  // namespace calib
