// Bytes out of another rank's memory, then a handler here.
#include <libam/base/cache_line.hpp>
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

am_status endpoint::get(am_rank from, const void* where, void* to, std::size_t bytes,
                        const am_handler* done, const am_word* words) {
  am_status status = check_bulk("get", from, where, to, bytes, done);
  if (status != AM_OK) return status;
  look(from);
  completion then{from, done->id, {}, to, bytes, AM_OK};
  std::copy_n(words, AM_WORDS, then.words);
  if (bytes != 0 && (from != rank_ || !owns(where, bytes))) {
    if (ports_[from] == &nowhere_) status = make_contact(from, true);
    call* one = nullptr;
    if (status == AM_OK) status = new_call(call::kind::get, from, one);
    if (status != AM_OK) return status;
    one->there = const_cast<void*>(where);
    one->here = to;
    one->bytes = bytes;
    one->then = then;
    status = begin_in_turn(*one);
    if (status != AM_OK) return status;
  } else {
    if (bytes != 0) std::memmove(to, where, bytes);
    bulk_.completions.push_back(then);
  }
  ++traffic_[from].gets;
  traffic_[from].get_bytes += bytes;
  return AM_OK;
}

am_status endpoint::begin_get(call& one) {
  const am_rank from = one.then.peer;
  (void)begin_transfer(one, &seam::port::get);
  switch (one.at) {
    case seam::reach::done: end_call(one, AM_OK, false); return AM_OK;
    case seam::reach::under_way: return AM_OK;
    case seam::reach::busy: return try_later(from);
    case seam::reach::no_way: return ask(one);
    case seam::reach::bad_address: return bad_address("get", from, one.there, one.bytes);
    case seam::reach::bad_here: return bad_own_address("get", one);
  }
  return AM_OK;
}

am_status endpoint::ask(call& one) {
  const am_rank from = one.then.peer;
  if (bulk_.pending.asking(from) == calls::most_asking) return AM_AGAIN_CREDIT;
  if (const am_status status = credit_now(from); status != AM_OK) return status;
  bulk_.pending.set_asked(one);
  seam::port& port = *ports_[from];
  port.credits.take();
  port.send(get_handler.id, one.number, reinterpret_cast<std::uintptr_t>(one.there), one.bytes,
            reinterpret_cast<std::uintptr_t>(one.here));
  return AM_OK;
}

// Null: nobody waits under that number for this rank's bytes, or does any more.
call* endpoint::asked_of_source(call::kind what, am_word number) noexcept {
  call* const one = bulk_.pending.find(number);
  const bool is_it = one != nullptr && one->what == what && one->in == call::stage::asked &&
                     one->then.peer == source_;
  return is_it ? one : nullptr;
}

void endpoint::on_got(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  const am_word number = base::copied_once(words[0]);
  const am_word at = base::copied_once(words[1]);
  call* const get = self.asked_of_source(call::kind::get, number);
  if (get == nullptr) return;
  if (self.placed_) return self.take_moved(*get, data, bytes);
  const std::size_t left = get->bytes - get->moved;
  if (bytes == 0 || bytes > left)
    self.accuse("a piece of a get has bytes that nobody waits for", bytes, left);
  if (at > get->bytes - bytes) self.accuse("a piece of a get stands at", at, get->bytes - bytes);
  std::memcpy(static_cast<std::byte*>(get->here) + at, data, bytes);
  get->moved += bytes;
  if (get->moved == get->bytes) self.end_call(*get, AM_OK, false);
}

// A stream has brought all of it.
void endpoint::take_moved(call& get, const void* where, std::size_t bytes) noexcept {
  if (!ports_[source_]->streams()) accuse("a piece of a get without its bytes", bytes, 0);
  if (where != get.here || bytes != get.bytes)
    accuse("the bytes of a get that stand elsewhere", bytes, get.bytes);
  end_call(get, AM_OK, false);
}

void endpoint::on_get_failed(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  const am_word number = base::copied_once(words[0]);
  const am_word why = base::copied_once(words[1]);
  if (call* const get = self.asked_of_source(call::kind::get, number); get != nullptr)
    self.end_call(*get, why == AM_RESOURCE_SPACE ? AM_RESOURCE_SPACE : AM_ARGUMENT_ADDRESS, false);
}

// ---- completions ----

unsigned endpoint::run_completions(unsigned budget) noexcept {
  unsigned ran = 0;
  for (; ran < budget && !bulk_.completions.empty(); ++ran) {
    const completion done = bulk_.completions.front();
    bulk_.completions.pop_front();
    if (done.handler == peer_failed) {
      tell_of_death(done.peer);
      continue;
    }
    batch here(*this, done.peer, nullptr);
    if (done.reason == AM_OK)
      here.reply(done.handler, done.words, done.data, done.bytes);
    else
      here.returned(done.reason, done.handler, done.words, done.unknown);
  }
  return ran;
}

}  // namespace am::detail::core
