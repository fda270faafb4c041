// Bytes out of another rank's memory, then a handler here.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/log.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

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
    if (status != AM_OK) return status;
    seam::reach reached = ports_[from]->get(where, to, bytes);
    if (reached == seam::reach::under_way) status = finish_transfer("a get", from, reached);
    if (status != AM_OK) return status;
    switch (reached) {
      case seam::reach::under_way:  // not any more
      case seam::reach::done: bulk_.completions.push_back(then); break;
      case seam::reach::no_way: status = get_in_pieces(where, then); break;
      case seam::reach::bad_address: return bad_address("get", from, where, bytes);
    }
    if (status != AM_OK) return status;
  } else {
    if (bytes != 0) std::memmove(to, where, bytes);
    bulk_.completions.push_back(then);
  }
  ++traffic_[from].gets;
  traffic_[from].get_bytes += bytes;
  return AM_OK;
}

am_status endpoint::get_in_pieces(const void* where, const completion& then) {
  for (blocked here(shown_.doing); bulk_.gets.full();) wait_a_turn(here, "a get");
  const std::size_t number = bulk_.gets.add({then, 0});
  const am_status status =
      request(then.peer, &get_handler, number, reinterpret_cast<std::uintptr_t>(where), then.bytes,
              reinterpret_cast<std::uintptr_t>(then.data));
  if (status != AM_OK) {
    // A broken neighbour may have ended it unasked: then its end is told of already, and once.
    if (!bulk_.gets.remove(number)) return AM_OK;
  } else if (waiting_get* const get = bulk_.gets.find(number); get != nullptr) {
    get->asked = true;  // it may have been answered meanwhile, and nobody else is there yet
  }
  return status;
}

// ---- at the other side ----

void endpoint::on_get(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  const auto owed_there = std::ranges::count_if(self.bulk_.owed, [&](const owed_bytes& debt) {
    return debt.to == self.source_ && !debt.is_paid();
  });
  if (static_cast<std::size_t>(owed_there) >= bulk::most_waiting)
    self.accuse("gets that wait for this rank", static_cast<std::size_t>(owed_there) + 1,
                bulk::most_waiting);
  self.bulk_.owed.push_back({self.source_,
                             words[0],
                             {reinterpret_cast<void*>(words[3]),
                              reinterpret_cast<const void*>(words[1]),
                              words[2],
                              got_handler.id,
                              {words[0], 0, 0, 0}}});
}

// Sends what it can without waiting, one piece for each get in turn.
void endpoint::pay_owed_bytes() noexcept {
  ++bulk_.payments;
  for (std::size_t turns = bulk_.owed.size(); turns != 0; --turns) {
    owed_bytes& debt = bulk_.owed.front();
    const bool in_vain = !debt.shipped && bulk_.put_off[debt.to] == bulk_.payments;
    if (!in_vain && pay_a_part(debt))
      bulk_.owed.pop_front();
    else
      bulk_.owed.splice(bulk_.owed.end(), bulk_.owed, bulk_.owed.begin());
  }
}

// A try may be a call of the system, or first contact: looks that are to cost nothing make few of
// them in vain. What a look has brought that is passed over gives no sign any more.
void endpoint::pay_now_and_then() noexcept {
  constexpr unsigned looks_between_tries = 32;
  if (bulk_.looks_to_pass != 0) {
    --bulk_.looks_to_pass;
    booked_at_ = polls_;
    return;
  }
  pay_owed_bytes();
  if (!can_pay()) bulk_.looks_to_pass = looks_between_tries;
}

// True: nothing is owed any more. Bytes are looked at only with a credit in hand.
bool endpoint::pay_a_part(owed_bytes& debt) noexcept {
  if (!debt.shipped && ports_[debt.to]->credits.free() == 0)
    if (const am_status status = find_credit(debt.to, false); status != AM_OK) {
      put_off(debt, status);
      return false;
    }
  if (debt.failed != AM_OK)
    return try_request(debt.to, &get_failed_handler, debt.number, static_cast<am_word>(debt.failed),
                       0, 0) == AM_OK;
  return debt.shipped || ports_[debt.to]->ships() ? pay_by_shipment(debt) : pay_one_piece(debt);
}

// Until the next round, with all that is owed to that rank. A way there may be found yet; debts to
// the dead go with them.
void endpoint::put_off(owed_bytes& debt, am_status status) noexcept {
  bulk_.put_off[debt.to] = bulk_.payments;
  if (am_status_reason(status) == AM_REASON_AGAIN || is_dead(debt.to)) return;
  if (!std::exchange(debt.told, true))
    base::log(base::log_level::warn, "a get of rank {} cannot be answered yet: {}", debt.to,
              am_error_text());
}

// A try in vain, behind all that its poll or look has delivered, is followed by a sign of the
// transport, or by booked_at_; what has not been tried waits for none.
bool endpoint::can_pay() const noexcept {
  return std::ranges::any_of(bulk_.owed, [&](const owed_bytes& debt) {
    return !debt.shipped && bulk_.put_off[debt.to] != bulk_.payments;
  });
}

bool endpoint::pay_one_piece(owed_bytes& debt) noexcept {
  const auto* from = static_cast<const std::byte*>(debt.all.data) + debt.sent;
  const std::size_t bytes = std::min(max_medium_, debt.all.bytes - debt.sent);
  if (!owns(from, bytes)) {
    bulk_.owed_piece.resize(bytes);
    if (base::copy_checked(bulk_.owed_piece.data(), from, bytes) != base::copied::all) {
      debt.failed = AM_ARGUMENT_ADDRESS;
      return pay_a_part(debt);
    }
    from = bulk_.owed_piece.data();
  }
  const am_word words[AM_WORDS] = {debt.number, debt.sent, 0, 0};
  if (const am_status status = try_request_medium(debt.to, &got_handler, from, bytes, words);
      status != AM_OK) {
    if (am_status_reason(status) == AM_REASON_RESOURCE) {
      debt.failed = AM_RESOURCE_SPACE;
      return pay_a_part(debt);
    }
    put_off(debt, status);
    return false;
  }
  debt.sent += bytes;
  return debt.sent == debt.all.bytes;
}

// ---- back at the caller ----

void endpoint::on_got(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  endpoint& self = of(token.ep);
  const am_word number = base::copied_once(words[0]);
  const am_word at = base::copied_once(words[1]);
  waiting_get* const get = self.bulk_.gets.find(number);
  if (get == nullptr || get->then.peer != self.source_) return;
  if (self.placed_) return self.take_shipped(number, data, bytes);
  const std::size_t left = get->then.bytes - get->arrived;
  if (bytes == 0 || bytes > left)
    self.accuse("a piece of a get has bytes that nobody waits for", bytes, left);
  if (at > get->then.bytes - bytes)
    self.accuse("a piece of a get stands at", at, get->then.bytes - bytes);
  std::memcpy(static_cast<std::byte*>(get->then.data) + at, data, bytes);
  get->arrived += bytes;
  if (get->arrived != get->then.bytes) return;
  self.bulk_.completions.push_back(get->then);
  self.bulk_.gets.remove(number);
}

void endpoint::on_get_failed(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  const am_word number = base::copied_once(words[0]);
  const am_word why = base::copied_once(words[1]);
  waiting_get* const get = self.bulk_.gets.find(number);
  if (get == nullptr || get->then.peer != self.source_) return;
  self.bulk_.completions.push_back(get->then);
  self.bulk_.completions.back().reason =
      why == AM_RESOURCE_SPACE ? AM_RESOURCE_SPACE : AM_ARGUMENT_ADDRESS;
  self.bulk_.gets.remove(number);
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
