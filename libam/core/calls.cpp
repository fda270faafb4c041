#include <libam/core/calls.hpp>

#include <utility>

namespace am::detail::core {

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
