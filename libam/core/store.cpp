// Bytes into another rank's memory, then a handler there.
#include <libam/base/error.hpp>
#include <libam/core/bulk_calls.hpp>

#include <algorithm>

namespace am::detail::core {

namespace {

bool wraps(const void* where, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(where) + bytes < bytes;
}

// A call that its caller waits for: whatever happens it is no call afterwards, unless only its
// notice is to come.
class held_call {
 public:
  held_call(calls& of, call& one) noexcept : calls_(of), call_(one) { call_.held = true; }
  ~held_call() {
    call_.held = false;
    if (!goes_on_ || call_.at != seam::reach::under_way) calls_.remove(call_);
  }
  held_call(const held_call&) = delete;
  held_call& operator=(const held_call&) = delete;
  void goes_on() noexcept { goes_on_ = true; }

 private:
  calls& calls_;
  call& call_;
  bool goes_on_ = false;
};

}  // namespace

am_status bulk_calls::check(const char* call, am_rank at, const void* where, const void* mine,
                            std::size_t bytes, const am_handler* handler) const {
  if (!requests_.acceptable(at, handler)) [[unlikely]]
    return requests_.refuse(call, at, handler);
  if (peers_.is_dead(at)) [[unlikely]]
    return peers_.refuse_dead(at);
  if (bytes == 0) return AM_OK;
  if (mine == nullptr || wraps(mine, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: there is no such memory",
                      call, bytes, mine);
  if (where == nullptr || wraps(where, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: no such address", call,
                      bytes, where, at);
  return AM_OK;
}

am_status bulk_calls::store(am_rank to, void* where, const void* data, std::size_t bytes,
                            const am_handler* handler, const am_word* words) {
  am_status status = check("store", to, where, data, bytes, handler);
  if (status != AM_OK) return status;
  bulk_.look(to);
  call* one = nullptr;
  status = turn_of_store(to, true);
  if (status == AM_OK) status = add_store(to, where, data, bytes, handler, words, one);
  return status == AM_OK ? place(*one, true) : status;
}

am_status bulk_calls::try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words) {
  am_status status = check("try_store", to, where, data, bytes, handler);
  if (status != AM_OK) return status;
  if (bytes > peers_.max_medium())
    return base::fail(AM_ARGUMENT_SIZE, "try_store of {} bytes: at most {}; store takes more",
                      bytes, peers_.max_medium());
  call* one = nullptr;
  status = turn_of_store(to, false);
  if (status == AM_OK) status = add_store(to, where, data, bytes, handler, words, one);
  if (status != AM_OK) return status;
  one->at_once = true;
  return place(*one, false);
}

am_status bulk_calls::store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                                  const am_handler* handler, const am_word* words,
                                  const am_handler* done, am_word then) {
  am_status status = check("store_async", to, where, data, bytes, handler);
  if (status == AM_OK && !requests_.acceptable(to, done))
    status = requests_.refuse("the end of store_async", to, done);
  if (status != AM_OK) return status;
  bulk_.look(to);
  const completion at_end{to, done->id, {then, 0, 0, 0}, const_cast<void*>(data), bytes, AM_OK};
  call* one = nullptr;
  status = requests_.make_contact(to);
  if (status == AM_OK) {
    bulk_.made.reserve_messages();
    status = add_store(to, where, data, bytes, handler, words, one);
  }
  if (status != AM_OK) return status;
  one->has_done = true;
  one->then = at_end;
  status = bulk_.made.begin_in_turn(*one);
  if (status == AM_OK) count_store(to, bytes);
  return status;
}

am_status bulk_calls::add_store(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words, call*& out) {
  const am_status status = bulk_.made.add(call::kind::store, to, out);
  if (status != AM_OK) return status;
  out->there = where;
  out->here = const_cast<void*>(data);
  out->bytes = bytes;
  out->handler = handler->id;
  std::copy_n(words, AM_WORDS, out->words);
  return AM_OK;
}

void bulk_calls::count_store(am_rank to, std::size_t bytes) noexcept {
  ++peers_.traffic(to).stores;
  peers_.traffic(to).store_bytes += bytes;
}

// Behind stores that wait, also those that a posted function has begun in the meantime, and with a
// credit.
am_status bulk_calls::turn_of_store(am_rank to, bool wait) {
  bool waited = false;
  blocked here(requests_.doing());
  for (;;) {
    am_status status = AM_AGAIN_CREDIT;
    if (bulk_.made.pending().waiting_stores(to) == 0) status = bulk_.by.find_credit(to);
    if (!wait || am_status_reason(status) != AM_REASON_AGAIN) return status;
    status =
        peers_.is_met(to) ? requests_.wait_for_room(to, here, waited) : requests_.make_contact(to);
    if (status != AM_OK) return status;
  }
}

// With a credit: the bytes first, by the best way there is, then the notice. No posted function
// runs from here on: its stores would stand among the pieces of this one, its fence would wait for
// it, and its close for a call that cannot end.
am_status bulk_calls::place(call& one, bool wait) {
  const inside_call half_done = progress_.hold_posts();
  held_call held(bulk_.made.pending(), one);
  am_status status = AM_OK;
  if (bulk_.made.is_notice_alone(one)) {
    bulk_.made.send_notice_alone(one);
    one.at = seam::reach::done;
  } else {
    status = move(one, wait);
  }
  if (status != AM_OK) return status;
  count_store(one.then.peer, one.bytes);
  held.goes_on();
  return AM_OK;
}

am_status bulk_calls::move(call& one, bool wait) {
  const am_rank to = one.then.peer;
  blocked here(requests_.doing());
  for (bool waited = false; bulk_.made.begin_put(one) == seam::reach::busy;) {
    if (!wait) return AM_AGAIN_PAYLOAD;
    am_status status = requests_.wait_for_room(to, here, waited);
    if (status == AM_OK) status = turn_of_store(to, true);
    if (status != AM_OK) return status;
  }
  while (!one.released && one.at == seam::reach::under_way)
    if (const am_status status = progress_.wait_a_turn(here, "a store", &to); status != AM_OK)
      return status;
  switch (one.at) {
    case seam::reach::bad_address: return bulk_caller::bad_address("store", one);
    case seam::reach::bad_here: return bulk_caller::bad_own_address("store", one);
    case seam::reach::no_way:
      return peers_.is_dead(to) ? peers_.refuse_dead(to) : send_pieces(one, wait);
    default: return AM_OK;
  }
}

am_status bulk_calls::send_pieces(call& one, bool wait) {
  const am_rank to = one.then.peer;
  blocked here(requests_.doing());
  for (bool waited = false;;) {
    am_status status = bulk_.made.send_pieces(one);
    if (!wait || am_status_reason(status) != AM_REASON_AGAIN) return status;
    status = requests_.wait_for_room(to, here, waited);
    if (status != AM_OK) return status;
  }
}

am_status bulk_calls::flush() {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("flush");
  blocked here(requests_.doing());
  am_status status = AM_OK;
  while (!bulk_.made.pending().waited_for().empty())
    if (status = progress_.wait_a_turn(here, "flush"); status != AM_OK) return status;
  for (const transport_set::way& w : transports_.all()) {
    if (w.transport == nullptr) continue;
    while ((status = w.transport->flush()) == AM_AGAIN_CONNECTING)
      if (status = progress_.wait_a_turn(here, "flush"); status != AM_OK) return status;
    if (status != AM_OK) return status;
  }
  return AM_OK;
}

// Small and medium requests keep their order by themselves; only bulk data has to be waited for,
// where a store does not do that itself.
am_status bulk_calls::fence(am_rank rank) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("fence");
  if (!peers_.has(rank))
    return base::fail(AM_ARGUMENT_RANK, "a fence to rank {}: this job has ranks 0 to {}", rank,
                      peers_.ranks() - 1);
  for (blocked here(requests_.doing()); bulk_.made.pending().stores(rank) != 0;)
    if (const am_status status = progress_.wait_a_turn(here, "fence", &rank); status != AM_OK)
      return status;
  return peers_.is_dead(rank) ? peers_.refuse_dead(rank) : AM_OK;
}

am_status bulk_calls::make_segment(std::size_t bytes, void** address) {
  return dispatcher_.in_order() ? bulk_.own.make(bytes, address) : dispatcher_.refuse("segment");
}

am_status bulk_calls::wait_for_abandoned() noexcept {
  am_status status = AM_OK;
  for (blocked here(requests_.doing()); status == AM_OK && bulk_.own.has_abandoned();)
    status = progress_.wait_a_turn(here, "segment of all");
  return status;
}

}  // namespace am::detail::core
