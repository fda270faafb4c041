// The other side of gets that come in messages: what this rank owes, and sends as it finds credits
// and room, in a transfer or piece by piece.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/log.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

void endpoint::on_get(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  const auto owed_there = std::ranges::count_if(self.bulk_.owed, [&](const owed_bytes& debt) {
    return debt.to == self.source_ && !debt.is_paid();
  });
  if (static_cast<std::size_t>(owed_there) >= calls::most_asking)
    self.accuse("gets that wait for this rank", static_cast<std::size_t>(owed_there) + 1,
                calls::most_asking);
  owed_bytes& debt = self.bulk_.owed.emplace_back(owed_bytes{self.source_, words[0]});
  debt.all.there = reinterpret_cast<void*>(words[3]);
  debt.all.here = reinterpret_cast<void*>(words[1]);
  debt.all.bytes = words[2];
  debt.all.handler = got_handler.id;
  debt.all.words[0] = words[0];
  debt.all.number = of_an_answer;
}

// Sends what it can without waiting: of answers one piece for each get in turn, then calls.
void endpoint::send_what_waits() noexcept {
  ++bulk_.rounds;
  for (std::size_t turns = bulk_.owed.size(); turns != 0; --turns) {
    owed_bytes& debt = bulk_.owed.front();
    const bool in_vain = !debt.under_way && is_put_off(debt.to);
    if (!in_vain && pay_a_part(debt))
      bulk_.owed.pop_front();
    else
      bulk_.owed.splice(bulk_.owed.end(), bulk_.owed, bulk_.owed.begin());
  }
  begin_waiting();
}

// A try may be a call of the system, or first contact: looks that are to cost nothing make few of
// them in vain. What a look has brought that is passed over gives no sign any more.
void endpoint::send_now_and_then() noexcept {
  constexpr unsigned looks_between_tries = 32;
  if (bulk_.looks_to_pass != 0) {
    --bulk_.looks_to_pass;
    booked_at_ = polls_;
    return;
  }
  send_what_waits();
  if (bulk_.has_waiting() && !can_pay()) bulk_.looks_to_pass = looks_between_tries;
}

// True: nothing is owed any more. Bytes are looked at only with a credit in hand.
bool endpoint::pay_a_part(owed_bytes& debt) noexcept {
  if (debt.under_way) return go_on_after_transfer(debt);
  if (const am_status status = credit_now(debt.to); status != AM_OK) {
    put_off(debt, status);
    return false;
  }
  if (debt.failed != AM_OK)
    return try_request(debt.to, &get_failed_handler, debt.number, static_cast<am_word>(debt.failed),
                       0, 0) == AM_OK;
  if (debt.sent == 0 && ports_[debt.to]->streams()) begin_answer(debt);
  if (debt.under_way) return go_on_after_transfer(debt);
  return !is_put_off(debt.to) && pay_one_piece(debt);
}

// With a credit in hand.
void endpoint::begin_answer(owed_bytes& debt) noexcept {
  seam::port& port = *ports_[debt.to];
  port.credits.take();
  debt.all.at = seam::reach::under_way;
  const seam::reach begun = port.put(debt.all);
  debt.under_way = begun == seam::reach::under_way || begun == seam::reach::done;
  if (begun != seam::reach::under_way) debt.all.at = begun;
  if (!debt.under_way) port.credits.put_back();
  if (debt.all.at == seam::reach::busy) (void)try_later(debt.to);
}

bool endpoint::go_on_after_transfer(owed_bytes& debt) noexcept {
  if (debt.all.at == seam::reach::under_way) return false;
  if (debt.is_paid()) return true;
  debt.under_way = false;
  if (debt.all.at == seam::reach::bad_here) debt.failed = AM_ARGUMENT_ADDRESS;
  return pay_a_part(debt);
}

// Until the next round, with all that is owed to that rank. A way there may be found yet; debts to
// the dead go with them.
void endpoint::put_off(owed_bytes& debt, am_status status) noexcept {
  (void)try_later(debt.to);
  if (am_status_reason(status) == AM_REASON_AGAIN || is_dead(debt.to)) return;
  if (!std::exchange(debt.told, true))
    base::log(base::log_level::warn, "a get of rank {} cannot be answered yet: {}", debt.to,
              am_error_text());
}

// A try in vain, behind all that its poll or look has delivered, is followed by a sign of the
// transport, or by booked_at_; what has not been tried waits for none.
bool endpoint::can_pay() const noexcept {
  return std::ranges::any_of(
      bulk_.owed, [&](const owed_bytes& debt) { return !debt.under_way && !is_put_off(debt.to); });
}

bool endpoint::pay_one_piece(owed_bytes& debt) noexcept {
  const auto* from = static_cast<const std::byte*>(debt.all.here) + debt.sent;
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

// The answer to a get has come back: nothing is mapped where its caller wanted it.
bool endpoint::take_back_own(const am_word* words) noexcept {
  if (running_ != got_handler.id) return false;
  bulk_.owed.push_back(owed_bytes{source_, base::copied_once(words[0])});
  bulk_.owed.back().failed = AM_ARGUMENT_ADDRESS;
  return true;
}

}  // namespace am::detail::core
