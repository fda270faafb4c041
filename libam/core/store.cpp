// Copies bytes into another rank's memory; then a handler runs there.
#include <libam/base/error.hpp>
#include <libam/core/bulk_calls.hpp>

#include <algorithm>

namespace am::detail::core {

namespace {

bool wraps(const void* where, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(where) + bytes < bytes;
}

// A call that its caller waits for: it is removed whatever happens, unless only its notice is to
// come.
class awaited_call {
 public:
  awaited_call(pending_calls& of, pending_call& one) noexcept : calls_(of), call_(one) {
    call_.awaited = true;
  }
  ~awaited_call() {
    call_.awaited = false;
    if (!is_kept_ || call_.status != seam::transfer_status::under_way) calls_.remove(call_);
  }
  awaited_call(const awaited_call&) = delete;
  awaited_call& operator=(const awaited_call&) = delete;
  void keep() noexcept { is_kept_ = true; }

 private:
  pending_calls& calls_;
  pending_call& call_;
  bool is_kept_ = false;
};

}  // namespace

am_status bulk_calls::check(const char* call, am_rank at, const void* where, const void* mine,
                            std::size_t bytes, const am_handler* handler) const {
  if (!requests_.is_valid_request(at, handler)) [[unlikely]]
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
  bulk_.poll_once(to);
  pending_call* one = nullptr;
  status = acquire_store_turn(to, true);
  if (status == AM_OK) status = add_store(to, where, data, bytes, handler, words, one);
  return status == AM_OK ? transfer_store(*one, true) : status;
}

am_status bulk_calls::try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words) {
  am_status status = check("try_store", to, where, data, bytes, handler);
  if (status != AM_OK) return status;
  if (bytes > peers_.max_medium())
    return base::fail(AM_ARGUMENT_SIZE, "try_store of {} bytes: at most {}; store takes more",
                      bytes, peers_.max_medium());
  pending_call* one = nullptr;
  status = acquire_store_turn(to, false);
  if (status == AM_OK) status = add_store(to, where, data, bytes, handler, words, one);
  if (status != AM_OK) return requests_.note_retry(status);
  one->at_once = true;
  return requests_.note_retry(transfer_store(*one, false));
}

am_status bulk_calls::store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                                  const am_handler* handler, const am_word* words,
                                  const am_handler* done, am_word done_word) {
  am_status status = check("store_async", to, where, data, bytes, handler);
  if (status == AM_OK && !requests_.is_valid_request(to, done))
    status = requests_.refuse("the end of store_async", to, done);
  if (status != AM_OK) return status;
  bulk_.poll_once(to);
  const completion_entry at_end{to,    done->id, {done_word, 0, 0, 0}, const_cast<void*>(data),
                                bytes, AM_OK};
  pending_call* one = nullptr;
  status = requests_.make_contact(to);
  if (status == AM_OK) {
    bulk_.caller.reserve_messages();
    status = add_store(to, where, data, bytes, handler, words, one);
  }
  if (status != AM_OK) return status;
  one->has_completion = true;
  one->completion = at_end;
  status = bulk_.caller.begin_or_queue(*one);
  if (status == AM_OK) count_store(to, bytes);
  return status;
}

am_status bulk_calls::add_store(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words,
                                pending_call*& out) {
  const am_status status = bulk_.caller.add(pending_call::kind::store, to, out);
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

// Waits for stores in the queue, also those that a posted function has begun meanwhile, and for a
// credit.
am_status bulk_calls::acquire_store_turn(am_rank to, bool wait) {
  bool waited = false;
  wait_scope here(requests_.current_wait());
  for (;;) {
    am_status status = AM_AGAIN_CREDIT;
    if (bulk_.caller.pending().waiting_stores(to) == 0) status = bulk_.sender.find_credit(to);
    if (!wait || am_status_reason(status) != AM_REASON_AGAIN) return status;
    status = peers_.has_contact(to) ? requests_.wait_for_room(to, here, waited)
                                    : requests_.make_contact(to);
    if (status != AM_OK) return status;
  }
}

// With a credit: the bytes first, by the best route, then the notice. No posted function runs from
// here on: its stores would go between the pieces of this one, its fence would wait for this store,
// and its close for a call that cannot end.
am_status bulk_calls::transfer_store(pending_call& one, bool wait) {
  const nesting_scope half_done = progress_.hold_posts();
  awaited_call awaited(bulk_.caller.pending(), one);
  am_status status = AM_OK;
  if (bulk_.caller.needs_only_notice(one)) {
    bulk_.caller.send_only_notice(one);
    one.status = seam::transfer_status::done;
  } else {
    status = move_bytes(one, wait);
  }
  if (status != AM_OK) return status;
  count_store(one.completion.peer, one.bytes);
  awaited.keep();
  return AM_OK;
}

am_status bulk_calls::move_bytes(pending_call& one, bool wait) {
  const am_rank to = one.completion.peer;
  wait_scope here(requests_.current_wait());
  for (bool waited = false; bulk_.caller.begin_put(one) == seam::transfer_status::busy;) {
    if (!wait) return AM_AGAIN_PAYLOAD;
    am_status status = requests_.wait_for_room(to, here, waited);
    if (status == AM_OK) status = acquire_store_turn(to, true);
    if (status != AM_OK) return status;
  }
  while (!one.released && one.status == seam::transfer_status::under_way)
    if (const am_status status = progress_.wait_step(here, "a store", &to); status != AM_OK)
      return status;
  switch (one.status) {
    case seam::transfer_status::bad_remote_address:
      return bulk_caller::refuse_remote_address("store", one);
    case seam::transfer_status::bad_local_address:
      return bulk_caller::refuse_local_address("store", one);
    case seam::transfer_status::unsupported:
      return peers_.is_dead(to) ? peers_.refuse_dead(to) : send_pieces(one, wait);
    default: return AM_OK;
  }
}

am_status bulk_calls::send_pieces(pending_call& one, bool wait) {
  const am_rank to = one.completion.peer;
  wait_scope here(requests_.current_wait());
  for (bool waited = false;;) {
    am_status status = bulk_.caller.send_pieces(one);
    if (!wait || am_status_reason(status) != AM_REASON_AGAIN) return status;
    status = requests_.wait_for_room(to, here, waited);
    if (status != AM_OK) return status;
  }
}

am_status bulk_calls::flush() {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("flush");
  wait_scope here(requests_.current_wait());
  am_status status = AM_OK;
  while (!bulk_.caller.pending().waiting_ranks().empty())
    if (status = progress_.wait_step(here, "flush"); status != AM_OK) return status;
  for (const transport_set::candidate& one : transports_.all()) {
    if (one.transport == nullptr) continue;
    while ((status = one.transport->flush()) == AM_AGAIN_CONNECTING)
      if (status = progress_.wait_step(here, "flush"); status != AM_OK) return status;
    if (status != AM_OK) return status;
  }
  return AM_OK;
}

// Small and medium requests keep their order by themselves; only stores that are under way have to
// be waited for.
am_status bulk_calls::fence(am_rank rank) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("fence");
  if (!peers_.has(rank))
    return base::fail(AM_ARGUMENT_RANK, "a fence to rank {}: this job has ranks 0 to {}", rank,
                      peers_.ranks() - 1);
  for (wait_scope here(requests_.current_wait()); bulk_.caller.pending().stores(rank) != 0;)
    if (const am_status status = progress_.wait_step(here, "fence", &rank); status != AM_OK)
      return status;
  return peers_.is_dead(rank) ? peers_.refuse_dead(rank) : AM_OK;
}

am_status bulk_calls::make_segment(std::size_t bytes, void** address) {
  return dispatcher_.may_call() ? bulk_.own_segments.make(bytes, address)
                                : dispatcher_.refuse("segment");
}

am_status bulk_calls::wait_for_frees() noexcept {
  am_status status = AM_OK;
  for (wait_scope here(requests_.current_wait());
       status == AM_OK && bulk_.own_segments.has_pending_free();)
    status = progress_.wait_step(here, "all_segments");
  return status;
}

}  // namespace am::detail::core
