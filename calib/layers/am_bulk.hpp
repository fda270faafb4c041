// libam's bulk data: stores into a segment of rank 1 and gets from it. Rank 0 measures; rank 1 only
// runs handlers.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/probe_runner.hpp>

namespace calib {

// When rank 0 polls: after all gets, or after each.
enum class poll_policy { at_end, after_each };

template <poll_policy Policy>
class am_bulk {
 public:
  am_bulk(am::endpoint& ep, handler_state& state, const am::segment& all, bulk_buffer& mine)
      : ep_(ep), state_(state), mine_(mine), theirs_(static_cast<std::byte*>(all.address_at(1))) {}

  // The handler of this request runs before those of later stores.
  void set(const bulk_spec& what) {
    what_ = state_.pieces.what = what;
    ep_.request<on_bulk_spec>(1, what.bytes, am::word{what.touched});
  }
  bulk_buffer& memory() { return mine_; }

  void store(std::uint64_t n) {
    ep_.store<on_store>(1, theirs_ + n * what_.bytes, {mine_.piece(what_, n), what_.bytes});
  }
  std::uint64_t wait_for_stores() { return wait_for_all(); }

  void get(std::uint64_t n) {
    ep_.get<on_get>(1, theirs_ + n * what_.bytes, {mine_.piece(what_, n), what_.bytes});
    if constexpr (Policy == poll_policy::after_each) ep_.poll();
  }
  std::uint64_t wait_for_gets() { return wait_for_all(); }

 private:
  std::uint64_t wait_for_all() {
    ep_.wait([this] { return state_.pieces.done; });
    state_.pieces.done = false;
    return state_.pieces.checksum;
  }

  am::endpoint& ep_;
  handler_state& state_;
  bulk_buffer& mine_;
  std::byte* theirs_;
  bulk_spec what_{};
};

// All bulk probes, at rank 0.
inline void measure_bulk(am::endpoint& ep, handler_state& state, const am::segment& all,
                         probe_runner& runner) {
  bulk_buffer mine(all.size());
  am_bulk<poll_policy::at_end> poll_end(ep, state, all, mine);
  am_bulk<poll_policy::after_each> poll_each(ep, state, all, mine);
  runner.get_bulk(poll_end, "default");
  runner.get_bulk(poll_each, "poll-after-each");
  runner.store_bulk(poll_end, "default");
}

}  // namespace calib
