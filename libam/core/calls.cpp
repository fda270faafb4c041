#include <libam/core/calls.hpp>

#include <utility>

namespace am::detail::core {

call& calls::add(call::kind what, am_rank peer) {
  if (free_ == nullptr) add_block();
  call& one = *std::exchange(free_, free_->behind);
  one.what = what;
  one.in = call::stage::fresh;
  one.at = seam::reach::under_way;
  one.released = false;
  one.at_once = false;
  one.held = false;
  one.has_done = false;
  one.moved = 0;
  one.then.peer = peer;
  one.then.reason = AM_OK;
  one.then.unknown = false;
  ++count_;
  ++ranks_[peer].count;
  ranks_[peer].stores += what == call::kind::store;
  later_ += what == call::kind::request;
  return one;
}

void calls::add_block() {
  const std::size_t first = size();
  blocks_.push_back(std::make_unique<call[]>(per_block));
  for (std::size_t number = first + per_block; number-- != first;) {
    at(number).number = number;
    at(number).behind = std::exchange(free_, &at(number));
  }
}

void calls::remove(call& one) noexcept {
  of_rank& rank = ranks_[one.then.peer];
  if (one.in == call::stage::asked && one.what == call::kind::get) --rank.asking;
  rank.stores -= one.what == call::kind::store;
  later_ -= one.what == call::kind::request;
  leave_queue(one, call::stage::free);
  --rank.count;
  --count_;
  one.behind = std::exchange(free_, &one);
}

// Room for every rank was reserved.
void calls::set_waiting(call& one) noexcept {
  of_rank& rank = ranks_[one.then.peer];
  if (rank.first == nullptr) waited_for_.push_back(one.then.peer);
  (rank.first == nullptr ? rank.first : rank.last->behind) = &one;
  rank.last = &one;
  rank.waiting_stores += one.what == call::kind::store;
  one.behind = nullptr;
  one.in = call::stage::waiting;
}

void calls::set_asked(call& one) noexcept {
  leave_queue(one, call::stage::asked);
  if (one.what == call::kind::get) ++ranks_[one.then.peer].asking;
}

void calls::leave_queue(call& one, call::stage next) noexcept {
  if (std::exchange(one.in, next) != call::stage::waiting) return;
  of_rank& rank = ranks_[one.then.peer];
  rank.first = one.behind;
  rank.waiting_stores -= one.what == call::kind::store;
  if (rank.first == nullptr) std::erase(waited_for_, one.then.peer);
}

void calls::let_none_wait(am_rank rank) noexcept {
  while (call* const first = ranks_[rank].first) leave_queue(*first, call::stage::fresh);
}

}  // namespace am::detail::core
