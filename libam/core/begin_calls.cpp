// How calls on bulk data begin, and go on in messages where no transport has a route.
#include <libam/base/error.hpp>
#include <libam/core/atomic_operation.hpp>
#include <libam/core/bulk_caller.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/core/store_header.hpp>

#include <cstring>
#include <utility>

namespace am::detail::core {

am_status bulk_caller::refuse_remote_address(const char* what, const pending_call& one) {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: not all of it is mapped",
                    what, one.bytes, one.there, one.completion.peer);
}

am_status bulk_caller::refuse_local_address(const char* what, const pending_call& one) {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: not all of it is mapped", what,
                    one.bytes, one.here);
}

// `awaited`: a transfer that ends inside the port's call is ended by the caller of this function.
seam::transfer_status bulk_caller::begin_transfer(
    pending_call& one, seam::transfer_status (seam::port::*how)(seam::transfer&)) {
  const bool awaited = std::exchange(one.awaited, true);
  one.status = seam::transfer_status::under_way;
  const seam::transfer_status begun = (peers_.port(one.completion.peer).*how)(one);
  if (begun != seam::transfer_status::under_way) one.status = begun;
  if (one.status == seam::transfer_status::under_way) pending_.set_under_way(one);
  one.awaited = awaited;
  return begun;
}

// ---- stores -------------------------------------------------------------------------------------

void bulk_caller::reserve_messages() {
  message_.reserve(peers_.max_medium() + sizeof(store_header));
}

bool bulk_caller::needs_only_notice(const pending_call& one) const noexcept {
  return one.bytes == 0 ||
         (one.completion.peer == peers_.rank() && segments_.contains(one.there, one.bytes));
}

void bulk_caller::send_only_notice(const pending_call& one) noexcept {
  if (one.bytes != 0) std::memmove(one.there, one.here, one.bytes);
  seam::port& port = peers_.port(one.completion.peer);
  port.credits.take();
  port.send_notice(one.handler, one.words, one.there, one.bytes);
}

seam::transfer_status bulk_caller::begin_put(pending_call& one) noexcept {
  seam::port& port = peers_.port(one.completion.peer);
  port.credits.take();
  const seam::transfer_status begun = begin_transfer(one, &seam::port::put);
  if (begun != seam::transfer_status::under_way && begun != seam::transfer_status::done)
    sender_.put_back_credit(one.completion.peer);
  return one.status;
}

// Begins a call in the queue, or one about to enter it, as far as it can go without waiting.
am_status bulk_caller::begin_store(pending_call& one) {
  const am_rank to = one.completion.peer;
  if (const am_status status = sender_.find_credit_or_defer(to); status != AM_OK) return status;
  if (needs_only_notice(one)) {
    send_only_notice(one);
    end(one, AM_OK, false);
    return AM_OK;
  }
  switch (one.moved == 0 ? begin_put(one) : seam::transfer_status::unsupported) {
    case seam::transfer_status::under_way: return AM_OK;
    case seam::transfer_status::busy: return sender_.defer(to, AM_AGAIN_PAYLOAD);
    case seam::transfer_status::bad_remote_address: return refuse_remote_address("store", one);
    case seam::transfer_status::bad_local_address: return refuse_local_address("store", one);
    case seam::transfer_status::unsupported:
      if (const am_status status = send_pieces(one); status != AM_OK)
        return am_status_reason(status) == AM_REASON_AGAIN ? sender_.defer(to, status) : status;
      break;
    case seam::transfer_status::done: break;
  }
  end(one, AM_OK, false);
  return AM_OK;
}

// Pieces arrive in order, so all others are in place when the last one arrives.
am_status bulk_caller::send_pieces(pending_call& one) {
  const am_rank to = one.completion.peer;
  const std::size_t most = peers_.max_medium();
  const auto* const data = static_cast<const std::byte*>(one.here);
  for (; one.bytes - one.moved > most; one.moved += most) {
    const am_word place[AM_WORDS] = {reinterpret_cast<std::uintptr_t>(one.there) + one.moved};
    const am_status status = sender_.medium(to, piece_handler, data + one.moved, most, place);
    if (status != AM_OK) return status;
  }
  if (const am_status status = sender_.find_credit(to); status != AM_OK) return status;
  const std::size_t rest = one.bytes - one.moved;
  const store_header header{reinterpret_cast<std::uintptr_t>(one.there), one.bytes, one.handler};
  message_.resize(sizeof header + rest);
  std::memcpy(message_.data(), &header, sizeof header);
  std::memcpy(message_.data() + sizeof header, data + one.moved, rest);
  return sender_.medium(to, store_handler, message_.data(), message_.size(), one.words);
}

// ---- gets ---------------------------------------------------------------------------------------

am_status bulk_caller::begin_get(pending_call& one) {
  switch (begin_transfer(one, &seam::port::get); one.status) {
    case seam::transfer_status::done: end(one, AM_OK, false); return AM_OK;
    case seam::transfer_status::under_way: return AM_OK;
    case seam::transfer_status::busy: return sender_.defer(one.completion.peer, AM_AGAIN_PAYLOAD);
    case seam::transfer_status::unsupported: return request_get(one);
    case seam::transfer_status::bad_remote_address: return refuse_remote_address("get", one);
    case seam::transfer_status::bad_local_address: return refuse_local_address("get", one);
  }
  return AM_OK;
}

am_status bulk_caller::request_get(pending_call& one) {
  const am_rank from = one.completion.peer;
  if (pending_.requested_gets(from) == pending_calls::max_requested_gets) return AM_AGAIN_CREDIT;
  if (const am_status status = sender_.find_credit_or_defer(from); status != AM_OK) return status;
  pending_.set_requested(one);
  return sender_.request(from, get_handler, one.number, reinterpret_cast<std::uintptr_t>(one.there),
                         one.bytes, reinterpret_cast<std::uintptr_t>(one.here));
}

// ---- atomic operations, and requests for later --------------------------------------------------

am_status bulk_caller::begin_atomic(pending_call& one) {
  const am_rank at = one.completion.peer;
  auto* const where = static_cast<am_word*>(one.there);
  const bool mine = at == peers_.rank() && segments_.contains(where, sizeof *where);
  if (am_word* const here = mine ? where : peers_.port(at).mapped_word(where); here != nullptr) {
    one.completion.words[0] = apply(*here, one.op, one.operand, one.expected);
    end(one, AM_OK, false);
    return AM_OK;
  }
  if (const am_status status = sender_.find_credit_or_defer(at); status != AM_OK) return status;
  pending_.set_requested(one);
  return sender_.request(at, atomic_handler, reinterpret_cast<std::uintptr_t>(where),
                         one.number << 8 | static_cast<am_word>(one.op), one.operand, one.expected);
}

am_status bulk_caller::begin_request(pending_call& one) {
  const am_rank to = one.completion.peer;
  if (const am_status status = sender_.find_credit_or_defer(to); status != AM_OK) return status;
  const completion_entry& it = one.completion;
  seam::port& port = peers_.port(to);
  port.credits.take();
  port.send(it.handler, it.words[0], it.words[1], it.words[2], it.words[3]);
  pending_.remove(one);
  return AM_OK;
}

}  // namespace am::detail::core
