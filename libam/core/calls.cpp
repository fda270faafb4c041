#include <libam/core/calls.hpp>
#include <libam/wire/payload_sizes.hpp>

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
  if (one.in == call::stage::asked && one.what == call::kind::get) end_asking(one);
  rank.stores -= one.what == call::kind::store;
  later_ -= one.what == call::kind::request;
  leave_queue(one, call::stage::free);
  --rank.count;
  --count_;
  one.behind = std::exchange(free_, &one);
}

void calls::set_asked(call& one) noexcept {
  leave_queue(one, call::stage::asked);
  if (one.what == call::kind::get) ask(one);
}

void calls::ask(call& get) noexcept {
  asked& all = asked_[get.then.peer];
  (all.first == nullptr ? all.first : all.last->behind) = &get;
  all.last = &get;
  get.behind = nullptr;
  ++ranks_[get.then.peer].asking;
}

// Mostly the first of them.
void calls::end_asking(call& get) noexcept {
  asked& all = asked_[get.then.peer];
  call* before = nullptr;
  for (call* one = all.first; one != &get; one = one->behind) before = one;
  (before == nullptr ? all.first : before->behind) = get.behind;
  if (all.last == &get) all.last = before;
  --ranks_[get.then.peer].asking;
}

bool calls::asks_into(am_rank rank, const void* where, std::size_t bytes) const noexcept {
  const auto* const at = static_cast<const std::byte*>(where);
  for (const call* get = asked_[rank].first; get != nullptr; get = get->behind) {
    const auto* const place = static_cast<const std::byte*>(get->here);
    if (get->bytes <= wire::most_put_in_messages && at >= place && at <= place + get->bytes &&
        bytes <= static_cast<std::size_t>(place + get->bytes - at))
      return true;
  }
  return false;
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
