// libam's requests with a payload, as a program sends them: it packs its only buffer and requests,
// and every request polls. Rank 0 measures; rank 1 follows its orders.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/mediums.hpp>

#include <span>

namespace calib {

// The sender, at either rank.
class am_sender {
 public:
  am_sender(am::endpoint& ep, am::rank_id peer) : ep_(ep), peer_(peer) {
    buffer_.set(1, largest_medium);
  }

  void send(std::size_t bytes, std::uint64_t number) {
    pack(buffer_[0], bytes, number);
    ep_.request<on_medium>(peer_, std::span<const std::byte>(buffer_[0], bytes));
  }

 private:
  am::endpoint& ep_;
  am::rank_id peer_;
  message_buffers buffer_;
};

class am_mediums {
 public:
  am_mediums(am::endpoint& ep, handler_state& state)
      : ep_(ep), state_(state.mediums), sender_(ep, 1) {}

  void set(const medium_spec& what) { what_ = what; }

  void wait_until_ready() {
    state_ = {};
    first_ = next_;
    ep_.request<on_medium_order>(1, what_.bytes, what_.bidirectional ? what_.count : 0, first_);
    ep_.wait([this] { return state_.ready; });
  }
  void send_medium() { sender_.send(what_.bytes, next_++); }
  void wait_for_mediums() {
    ep_.request<on_medium_sum_query>(1);
    ep_.wait([this] { return state_.reported && state_.received == expected(); });
  }

  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = sum_of(what_, first_);
    return state_.remote_sum == sum && state_.sum == (what_.bidirectional ? sum : 0);
  }

 private:
  [[nodiscard]] std::uint64_t expected() const { return what_.bidirectional ? what_.count : 0; }

  am::endpoint& ep_;
  decltype(handler_state::mediums)& state_;
  am_sender sender_;
  medium_spec what_{};
  std::uint64_t first_ = 0;  // the first number of this sample
  std::uint64_t next_ = 0;
};

// Rank 1, until `on_leave`.
inline void run_medium_peer(am::endpoint& ep, handler_state& state) {
  am_sender sender(ep, 0);
  const auto& order = state.mediums;
  am::word orders_done = 0;
  for (;;) {
    ep.wait([&] { return state.leave || order.orders != orders_done; });
    if (state.leave) return;
    orders_done = order.orders;
    ep.request<on_medium_ready>(0);
    if (order.count == 0) continue;
    ep.wait([&] { return order.received > 0; });
    // The next order arrives only after rank 0 has received all of these.
    for (am::word i = 0; i < order.count; ++i) sender.send(order.bytes, order.first + i);
  }
}

}  // namespace calib
