// libam's requests with a payload, as a program sends them: it packs its one buffer and requests,
// and every request looks at what has come. Rank 0 plays; rank 1 follows.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/mediums.hpp>

#include <span>

namespace calib {

// The sending end, at either rank.
class am_sender {
 public:
  am_sender(am::endpoint& ep, am::rank_id peer) : ep_(ep), peer_(peer) {
    buffer_.set(1, largest_medium);
  }

  void send(std::size_t bytes, std::uint64_t number) {
    pack(buffer_[0], bytes, number);
    ep_.request<medium_came>(peer_, std::span<const std::byte>(buffer_[0], bytes));
  }

 private:
  am::endpoint& ep_;
  am::rank_id peer_;
  buffers buffer_;
};

class am_mediums {
 public:
  am_mediums(am::endpoint& ep, ledger& here) : ep_(ep), here_(here.mediums), sender_(ep, 1) {}

  void set(const mediums& what) { what_ = what; }

  void meet() {
    here_ = {};
    first_ = next_;
    ep_.request<told_what_to_send>(1, what_.bytes, what_.both_ways ? what_.count : 0, first_);
    ep_.wait([this] { return here_.ready; });
  }
  void send_medium() { sender_.send(what_.bytes, next_++); }
  void settle_mediums() {
    ep_.request<asked_about_mediums>(1);
    ep_.wait([this] { return here_.told && here_.come == coming(); });
  }

  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = sum_of(what_, first_);
    return here_.sum_there == sum && here_.sum == (what_.both_ways ? sum : 0);
  }

 private:
  [[nodiscard]] std::uint64_t coming() const { return what_.both_ways ? what_.count : 0; }

  am::endpoint& ep_;
  decltype(ledger::mediums)& here_;
  am_sender sender_;
  mediums what_{};
  std::uint64_t first_ = 0;  // number of this sample
  std::uint64_t next_ = 0;
};

// Rank 1, until it is told to leave.
inline void follow_mediums(am::endpoint& ep, ledger& here) {
  am_sender sender(ep, 0);
  const auto& told = here.mediums;
  am::word heard = 0;
  for (;;) {
    ep.wait([&] { return here.leave || told.orders != heard; });
    if (here.leave) return;
    heard = told.orders;
    ep.request<ready_for_mediums>(0);
    if (told.count == 0) continue;
    ep.wait([&] { return told.come > 0; });
    // No other order comes before rank 0 has all of these.
    for (am::word i = 0; i < told.count; ++i) sender.send(told.bytes, told.first + i);
  }
}

}  // namespace calib
