#include <libam/core/pending_calls.hpp>

#include <libam/wire/payload_sizes.hpp>

#include <utility>

namespace am::detail::core {

void pending_calls::add_block() {
  const std::size_t first = size();
  blocks_.push_back(std::make_unique<pending_call[]>(per_block));
  for (std::size_t number = first + per_block; number-- != first;) {
    at(number).number = number;
    at(number).next_call = std::exchange(free_, &at(number));
  }
}

void pending_calls::remove(pending_call& one) noexcept {
  rank_calls& rank = ranks_[one.completion.peer];
  if (one.current_stage == pending_call::stage::requested && one.what == pending_call::kind::get)
    remove_requested(one);
  rank.stores -= one.what == pending_call::kind::store;
  later_count_ -= one.what == pending_call::kind::request;
  leave_queue(one, pending_call::stage::free);
  --rank.count;
  --count_;
  one.next_call = std::exchange(free_, &one);
}

void pending_calls::set_requested(pending_call& one) noexcept {
  leave_queue(one, pending_call::stage::requested);
  if (one.what == pending_call::kind::get) add_requested(one);
}

void pending_calls::add_requested(pending_call& get) noexcept {
  requested_list& all = requested_[get.completion.peer];
  (all.first == nullptr ? all.first : all.last->next_call) = &get;
  all.last = &get;
  get.next_call = nullptr;
  ++ranks_[get.completion.peer].requested_gets;
}

// It is mostly the first of the list.
void pending_calls::remove_requested(pending_call& get) noexcept {
  requested_list& all = requested_[get.completion.peer];
  pending_call* before = nullptr;
  for (pending_call* one = all.first; one != &get; one = one->next_call) before = one;
  (before == nullptr ? all.first : before->next_call) = get.next_call;
  if (all.last == &get) all.last = before;
  --ranks_[get.completion.peer].requested_gets;
}

bool pending_calls::has_requested_get_into(am_rank rank, const void* where,
                                           std::size_t bytes) const noexcept {
  const auto* const at = static_cast<const std::byte*>(where);
  for (const pending_call* get = requested_[rank].first; get != nullptr; get = get->next_call) {
    const auto* const place = static_cast<const std::byte*>(get->here);
    if (get->bytes <= wire::most_eager_bytes && at >= place && at <= place + get->bytes &&
        bytes <= static_cast<std::size_t>(place + get->bytes - at))
      return true;
  }
  return false;
}

void pending_calls::leave_queue(pending_call& one, pending_call::stage next) noexcept {
  if (std::exchange(one.current_stage, next) != pending_call::stage::waiting) return;
  rank_calls& rank = ranks_[one.completion.peer];
  rank.first = one.next_call;
  rank.waiting_stores -= one.what == pending_call::kind::store;
  if (rank.first == nullptr) std::erase(waiting_ranks_, one.completion.peer);
}

void pending_calls::clear_queue(am_rank rank) noexcept {
  while (pending_call* const first = ranks_[rank].first)
    leave_queue(*first, pending_call::stage::fresh);
}

}  // namespace am::detail::core
