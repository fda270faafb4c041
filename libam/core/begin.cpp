// How calls on bulk data begin, and go on in messages where no transport has a way.
#include <libam/base/error.hpp>
#include <libam/core/atomic_operation.hpp>
#include <libam/core/bulk_caller.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/store_header.hpp>

#include <cstring>
#include <utility>

namespace am::detail::core {

am_status bulk_caller::bad_address(const char* what, const call& one) {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: not all of it is mapped",
                    what, one.bytes, one.there, one.then.peer);
}

am_status bulk_caller::bad_own_address(const char* what, const call& one) {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: not all of it is mapped", what,
                    one.bytes, one.here);
}

// It may end inside the port's call, and then is not ended behind its beginner's back.
seam::reach bulk_caller::begin_transfer(call& one,
                                        seam::reach (seam::port::*how)(seam::transfer&)) {
  const bool held = std::exchange(one.held, true);
  one.at = seam::reach::under_way;
  const seam::reach begun = (peers_.port(one.then.peer).*how)(one);
  if (begun != seam::reach::under_way) one.at = begun;
  if (one.at == seam::reach::under_way) pending_.set_under_way(one);
  one.held = held;
  return begun;
}

// ---- stores -------------------------------------------------------------------------------------

void bulk_caller::reserve_messages() {
  message_.reserve(peers_.max_medium() + sizeof(store_header));
}

bool bulk_caller::is_notice_alone(const call& one) const noexcept {
  return one.bytes == 0 || (one.then.peer == peers_.rank() && segments_.own(one.there, one.bytes));
}

void bulk_caller::send_notice_alone(const call& one) noexcept {
  if (one.bytes != 0) std::memmove(one.there, one.here, one.bytes);
  seam::port& port = peers_.port(one.then.peer);
  port.credits.take();
  port.send_bulk(one.handler, one.words, one.there, one.bytes);
}

seam::reach bulk_caller::begin_put(call& one) noexcept {
  seam::port& port = peers_.port(one.then.peer);
  port.credits.take();
  const seam::reach begun = begin_transfer(one, &seam::port::put);
  if (begun != seam::reach::under_way && begun != seam::reach::done)
    sender_.put_back_credit(one.then.peer);
  return one.at;
}

// A call in the queue, or about to go there: it goes on as far as it can without waiting.
am_status bulk_caller::begin_store(call& one) {
  const am_rank to = one.then.peer;
  if (const am_status status = sender_.credit_now(to); status != AM_OK) return status;
  if (is_notice_alone(one)) {
    send_notice_alone(one);
    end(one, AM_OK, false);
    return AM_OK;
  }
  switch (one.moved == 0 ? begin_put(one) : seam::reach::no_way) {
    case seam::reach::under_way: return AM_OK;
    case seam::reach::busy: return sender_.put_off(to, AM_AGAIN_PAYLOAD);
    case seam::reach::bad_address: return bad_address("store", one);
    case seam::reach::bad_here: return bad_own_address("store", one);
    case seam::reach::no_way:
      if (const am_status status = send_pieces(one); status != AM_OK)
        return am_status_reason(status) == AM_REASON_AGAIN ? sender_.put_off(to, status) : status;
      break;
    case seam::reach::done: break;
  }
  end(one, AM_OK, false);
  return AM_OK;
}

// Pieces arrive in order, so the last one finds all others in their place.
am_status bulk_caller::send_pieces(call& one) {
  const am_rank to = one.then.peer;
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

am_status bulk_caller::begin_get(call& one) {
  switch (begin_transfer(one, &seam::port::get); one.at) {
    case seam::reach::done: end(one, AM_OK, false); return AM_OK;
    case seam::reach::under_way: return AM_OK;
    case seam::reach::busy: return sender_.put_off(one.then.peer, AM_AGAIN_PAYLOAD);
    case seam::reach::no_way: return ask(one);
    case seam::reach::bad_address: return bad_address("get", one);
    case seam::reach::bad_here: return bad_own_address("get", one);
  }
  return AM_OK;
}

am_status bulk_caller::ask(call& one) {
  const am_rank from = one.then.peer;
  if (pending_.asking(from) == calls::most_asking) return AM_AGAIN_CREDIT;
  if (const am_status status = sender_.credit_now(from); status != AM_OK) return status;
  pending_.set_asked(one);
  return sender_.request(from, get_handler, one.number, reinterpret_cast<std::uintptr_t>(one.there),
                         one.bytes, reinterpret_cast<std::uintptr_t>(one.here));
}

// ---- atomic operations, and requests for later --------------------------------------------------

am_status bulk_caller::begin_atomic(call& one) {
  const am_rank at = one.then.peer;
  auto* const where = static_cast<am_word*>(one.there);
  const bool mine = at == peers_.rank() && segments_.own(where, sizeof *where);
  if (am_word* const here = mine ? where : peers_.port(at).word_at(where); here != nullptr) {
    one.then.words[0] = apply(*here, one.op, one.operand, one.expected);
    end(one, AM_OK, false);
    return AM_OK;
  }
  if (const am_status status = sender_.credit_now(at); status != AM_OK) return status;
  pending_.set_asked(one);
  return sender_.request(at, atomic_handler, reinterpret_cast<std::uintptr_t>(where),
                         one.number << 8 | static_cast<am_word>(one.op), one.operand, one.expected);
}

am_status bulk_caller::begin_request(call& one) {
  const am_rank to = one.then.peer;
  if (const am_status status = sender_.credit_now(to); status != AM_OK) return status;
  const completion& it = one.then;
  seam::port& port = peers_.port(to);
  port.credits.take();
  port.send(it.handler, it.words[0], it.words[1], it.words[2], it.words[3]);
  pending_.remove(one);
  return AM_OK;
}

}  // namespace am::detail::core
