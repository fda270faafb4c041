// Bytes into another rank's memory, then a handler there.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

namespace {

bool wraps(const void* where, std::size_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(where) + bytes < bytes;
}

}  // namespace

am_status endpoint::check_bulk(const char* call, am_rank at, const void* where, const void* mine,
                               std::size_t bytes, const am_handler* handler) const {
  if (!acceptable(at, handler)) [[unlikely]]
    return refuse_request(call, at, handler);
  if (is_dead(at)) [[unlikely]]
    return refuse_dead(at);
  if (bytes == 0) return AM_OK;
  if (mine == nullptr || wraps(mine, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: there is no such memory",
                      call, bytes, mine);
  if (where == nullptr || wraps(where, bytes))
    return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: no such address", call,
                      bytes, where, at);
  return AM_OK;
}

am_status endpoint::bad_address(const char* call, am_rank at, const void* where,
                                std::size_t bytes) const {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} of rank {}: not all of it is mapped",
                    call, bytes, where, at);
}

am_status endpoint::bad_own_address(const char* what, const call& one) const {
  return base::fail(AM_ARGUMENT_ADDRESS, "{} of {} bytes at {} here: not all of it is mapped", what,
                    one.bytes, one.here);
}

bool endpoint::owns(const void* where, std::size_t bytes) const noexcept {
  const auto* at = static_cast<const std::byte*>(where);
  return std::ranges::any_of(bulk_.segments, [&](const own_segment& s) {
    return at >= s.address && at <= s.address + s.bytes &&
           bytes <= static_cast<std::size_t>(s.address + s.bytes - at);
  });
}

am_status endpoint::store(am_rank to, void* where, const void* data, std::size_t bytes,
                          const am_handler* handler, const am_word* words) {
  if (const am_status status = check_bulk("store", to, where, data, bytes, handler);
      status != AM_OK)
    return status;
  look(to);
  return place(to, where, data, bytes, handler, words, true);
}

am_status endpoint::try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                              const am_handler* handler, const am_word* words) {
  if (const am_status status = check_bulk("try_store", to, where, data, bytes, handler);
      status != AM_OK)
    return status;
  if (bytes > max_medium_)
    return base::fail(AM_ARGUMENT_SIZE, "try_store of {} bytes: at most {}; store takes more",
                      bytes, max_medium_);
  return place(to, where, data, bytes, handler, words, false);
}

am_status endpoint::store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                                const am_handler* handler, const am_word* words,
                                const am_handler* done, am_word then) {
  am_status status = check_bulk("store_async", to, where, data, bytes, handler);
  if (status == AM_OK && !acceptable(to, done))
    status = refuse_request("the end of store_async", to, done);
  if (status != AM_OK) return status;
  look(to);
  const completion at_end{to, done->id, {then, 0, 0, 0}, const_cast<void*>(data), bytes, AM_OK};
  if (ports_[to] == &nowhere_) status = make_contact(to, true);
  call* one = nullptr;
  if (status == AM_OK) status = new_store(to, where, data, bytes, handler, words, one);
  if (status != AM_OK) return status;
  one->has_done = true;
  one->then = at_end;
  try {  // what goes on in polls finds this room
    bulk_.waiting_message.reserve(max_medium_ + sizeof(store_header));
  } catch (...) {
    bulk_.pending.remove(*one);
    throw;
  }
  status = begin_in_turn(*one);
  if (status == AM_OK) count_store(to, bytes);
  return status;
}

am_status endpoint::new_store(am_rank to, void* where, const void* data, std::size_t bytes,
                              const am_handler* handler, const am_word* words, call*& out) {
  const am_status status = new_call(call::kind::store, to, out);
  if (status != AM_OK) return status;
  out->there = where;
  out->here = const_cast<void*>(data);
  out->bytes = bytes;
  out->handler = handler->id;
  std::copy_n(words, AM_WORDS, out->words);
  return AM_OK;
}

void endpoint::count_store(am_rank to, std::size_t bytes) noexcept {
  ++traffic_[to].stores;
  traffic_[to].store_bytes += bytes;
}

// Nothing has to be moved, or a plain copy does it.
bool endpoint::is_notice_alone(am_rank to, const void* where, std::size_t bytes) const noexcept {
  return bytes == 0 || (to == rank_ && owns(where, bytes));
}

// The bytes first, by the best way there is, then the notice.
am_status endpoint::place(am_rank to, void* where, const void* data, std::size_t bytes,
                          const am_handler* handler, const am_word* words, bool wait) {
  am_status status = turn_of_store(to, wait);
  if (status != AM_OK) return status;
  if (is_notice_alone(to, where, bytes)) {
    if (bytes != 0) std::memmove(where, data, bytes);
    ports_[to]->credits.take();
    ports_[to]->send_bulk(handler->id, words, where, bytes);
  } else {
    call* one = nullptr;
    status = new_store(to, where, data, bytes, handler, words, one);
    if (status == AM_OK) status = finish_store(*one, wait);
  }
  if (status == AM_OK) count_store(to, bytes);
  return status;
}

// Behind stores that wait, and with a credit.
am_status endpoint::turn_of_store(am_rank to, bool wait) {
  bool waited = false;
  for (blocked here(shown_.doing); bulk_.pending.waiting_stores(to) != 0;) {
    if (!wait) return AM_AGAIN_CREDIT;
    wait_for_room(to, here, waited);
  }
  return ports_[to]->credits.free() != 0 ? AM_OK : find_credit(to, wait);
}

// With a credit. The call ends here unless only its notice is to come.
am_status endpoint::finish_store(call& one, bool wait) {
  one.held = true;
  am_status status = AM_OK;
  try {
    status = move(one, wait);
  } catch (...) {  // out of memory for its messages
    bulk_.pending.remove(one);
    throw;
  }
  one.held = false;
  if (status != AM_OK || one.at != seam::reach::under_way) bulk_.pending.remove(one);
  return status;
}

am_status endpoint::move(call& one, bool wait) {
  const am_rank to = one.then.peer;
  blocked here(shown_.doing);
  for (bool waited = false; begin_put(one) == seam::reach::busy;) {
    if (!wait) return AM_AGAIN_PAYLOAD;
    wait_for_room(to, here, waited);
    if (const am_status status = turn_of_store(to, true); status != AM_OK) return status;
  }
  while (!one.released && one.at == seam::reach::under_way) wait_a_turn(here, "a store", &to);
  switch (one.at) {
    case seam::reach::bad_address: return bad_address("store", to, one.there, one.bytes);
    case seam::reach::bad_here: return bad_own_address("store", one);
    case seam::reach::no_way: return is_dead(to) ? refuse_dead(to) : send_pieces(one, wait);
    default: return AM_OK;
  }
}

// With a credit, which is there again where there is no notice. Says how the put stands.
seam::reach endpoint::begin_put(call& one) noexcept {
  seam::port& port = *ports_[one.then.peer];
  port.credits.take();
  const seam::reach begun = begin_transfer(one, &seam::port::put);
  if (begun != seam::reach::under_way && begun != seam::reach::done) port.credits.put_back();
  return one.at;
}

// A call in the queue, or about to go there: it goes on as far as it can without waiting.
am_status endpoint::begin_store(call& one) {
  const am_rank to = one.then.peer;
  if (const am_status status = credit_now(to); status != AM_OK) return status;
  if (is_notice_alone(to, one.there, one.bytes)) {
    if (one.bytes != 0) std::memmove(one.there, one.here, one.bytes);
    ports_[to]->credits.take();
    ports_[to]->send_bulk(one.handler, one.words, one.there, one.bytes);
    end_call(one, AM_OK, false);
    return AM_OK;
  }
  switch (one.moved == 0 ? begin_put(one) : seam::reach::no_way) {
    case seam::reach::under_way: return AM_OK;
    case seam::reach::busy: return try_later(to);
    case seam::reach::bad_address: return bad_address("store", to, one.there, one.bytes);
    case seam::reach::bad_here: return bad_own_address("store", one);
    case seam::reach::no_way:
      if (const am_status status = send_pieces(one, false); status != AM_OK)
        return am_status_reason(status) == AM_REASON_AGAIN ? try_later(to) : status;
      break;
    case seam::reach::done: break;
  }
  end_call(one, AM_OK, false);
  return AM_OK;
}

// Pieces arrive in order, so the last one finds all others in their place.
am_status endpoint::send_pieces(call& one, bool wait) {
  const am_rank to = one.then.peer;
  const auto* const data = static_cast<const std::byte*>(one.here);
  for (; one.bytes - one.moved > max_medium_; one.moved += max_medium_) {
    const am_word place[AM_WORDS] = {reinterpret_cast<std::uintptr_t>(one.there) + one.moved};
    const am_status status =
        send_payload(to, &piece_handler, data + one.moved, max_medium_, place, wait);
    if (status != AM_OK) return status;
  }
  const std::size_t rest = one.bytes - one.moved;
  const store_header header{reinterpret_cast<std::uintptr_t>(one.there), one.bytes, one.handler};
  std::vector<std::byte>& last = wait ? bulk_.store_message : bulk_.waiting_message;
  last.resize(sizeof header + rest);
  std::memcpy(last.data(), &header, sizeof header);
  std::memcpy(last.data() + sizeof header, data + one.moved, rest);
  return send_payload(to, &store_handler, last.data(), last.size(), one.words, wait);
}

// ---- at the target ----

void endpoint::take_piece(void* where, const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (owns(where, bytes))
    std::memcpy(where, data, bytes);
  else if (base::copy_checked(where, data, bytes) != base::copied::all)
    bulk_.bad_pieces[source_] = true;
}

// The bytes of these two are payload. Where a sender says that they stand elsewhere, it lies.
void endpoint::on_piece(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  if (self.placed_) self.accuse("a piece of a store without its bytes", bytes, 0);
  self.take_piece(reinterpret_cast<void*>(words[0]), data, bytes);
}

void endpoint::on_store(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  store_header header{};
  if (self.placed_) self.accuse("a store without its bytes", bytes, 0);
  if (bytes < sizeof header) self.accuse("a store that is too short", bytes, sizeof header);
  std::memcpy(&header, data, sizeof header);
  header = base::copied_once(header);
  const std::size_t rest = bytes - sizeof header;
  if (rest > header.bytes) self.accuse("a store whose last piece is", rest, header.bytes);
  self.take_piece(reinterpret_cast<void*>(header.where + (header.bytes - rest)),
                  static_cast<const std::byte*>(data) + sizeof header, rest);
  const auto handler =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(header.handler, self.count_));
  self.running_ = handler;
  const bool bad = self.bulk_.bad_pieces[self.source_];
  self.bulk_.bad_pieces[self.source_] = false;
  if (!bad) {
    self.placed_ = true;
    ++self.table_[handler].runs;
    self.table_[handler].fn(token, words, reinterpret_cast<void*>(header.where), header.bytes);
    self.placed_ = false;
    return;
  }
  self.answered_ = self.serial_;
  self.back_->give_back(AM_ARGUMENT_ADDRESS, handler, words);
}

}  // namespace am::detail::core
