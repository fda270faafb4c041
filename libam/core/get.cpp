// Copies bytes out of another rank's memory, or changes one word of it in one step; then a handler
// runs here.
#include <libam/base/error.hpp>
#include <libam/core/atomic_operation.hpp>
#include <libam/core/bulk_calls.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

// Makes first contact if there is none.
am_status bulk_calls::add(pending_call::kind what, am_rank peer, pending_call*& out) {
  const am_status status = requests_.make_contact(peer);
  return status == AM_OK ? bulk_.caller.add(what, peer, out) : status;
}

am_status bulk_calls::get(am_rank from, const void* where, void* to, std::size_t bytes,
                          const am_handler* done, const am_word* words) {
  am_status status = check("get", from, where, to, bytes, done);
  if (status != AM_OK) return status;
  bulk_.poll_once(from);
  completion_entry completion{from, done->id, {}, to, bytes, AM_OK};
  std::copy_n(words, AM_WORDS, completion.words);
  if (bytes != 0 && (from != peers_.rank() || !bulk_.own_segments.contains(where, bytes))) {
    pending_call* one = nullptr;
    status = add(pending_call::kind::get, from, one);
    if (status != AM_OK) return status;
    one->there = const_cast<void*>(where);
    one->here = to;
    one->bytes = bytes;
    one->completion = completion;
    status = bulk_.caller.begin_or_queue(*one);
    if (status != AM_OK) return status;
  } else {
    if (bytes != 0) std::memmove(to, where, bytes);
    bulk_.completions.push(completion);
  }
  ++peers_.traffic(from).gets;
  peers_.traffic(from).get_bytes += bytes;
  return AM_OK;
}

am_status bulk_calls::get_later(am_rank from, const void* where, void* to, std::size_t bytes,
                                const am_handler* done, const am_word* words) {
  if (!dispatcher_.is_owner_thread()) return dispatcher_.refuse("get_later");
  if (peers_.is_dead(from)) return peers_.refuse_dead(from);
  completion_entry completion{from, done->id, {}, to, bytes, AM_OK};
  std::copy_n(words, AM_WORDS, completion.words);
  if (bytes == 0) {
    bulk_.completions.push(completion);
    return AM_OK;
  }
  pending_call* one = nullptr;
  if (const am_status status = bulk_.caller.add(pending_call::kind::get, from, one);
      status != AM_OK)
    return status;
  one->there = const_cast<void*>(where);
  one->here = to;
  one->bytes = bytes;
  one->completion = completion;
  one->for_later = true;
  ++bulk_.caller.gets_for_later;
  bulk_.caller.pending().set_waiting(*one);
  bulk_.try_at_next_poll();
  ++peers_.traffic(from).gets;
  peers_.traffic(from).get_bytes += bytes;
  return AM_OK;
}

am_status bulk_calls::atomic(am_rank at, am_word* where, am_atomic_op op, am_word operand,
                             am_word expected, const am_handler* done, const am_word* words) {
  am_status status = check("atomic", at, where, &operand, sizeof *where, done);
  if (status != AM_OK) return status;
  if (!is_operation(op))
    return base::fail(AM_ARGUMENT_SIZE, "atomic: operation {}: there are {} to {}",
                      static_cast<unsigned>(op), static_cast<unsigned>(AM_FETCH_ADD),
                      static_cast<unsigned>(AM_COMPARE_SWAP));
  if (reinterpret_cast<std::uintptr_t>(where) % sizeof *where != 0)
    return base::fail(AM_ARGUMENT_ADDRESS,
                      "atomic at {} of rank {}: the address of a word must be a multiple of {}",
                      static_cast<void*>(where), at, sizeof *where);
  bulk_.poll_once(at);
  pending_call* one = nullptr;
  status = add(pending_call::kind::atomic, at, one);
  if (status != AM_OK) return status;
  one->there = where;
  one->op = op;
  one->operand = operand;
  one->expected = expected;
  one->completion = {at, done->id, {0, words[0], words[1], words[2]}, nullptr, 0, AM_OK};
  status = bulk_.caller.begin_or_queue(*one);
  if (status == AM_OK) ++peers_.traffic(at).atomics;
  return status;
}

}  // namespace am::detail::core
