// Bulk data over a port that ships: from memory here straight into memory there, for a store and
// for the answer to a get.
#include <libam/base/cache_line.hpp>
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>

#include <algorithm>

namespace am::detail::core {

// With a credit in hand.
bool endpoint::try_to_ship(am_rank to, seam::shipment& one) noexcept {
  seam::port& port = *ports_[to];
  port.credits.take();
  const bool under_way = port.ship(one);
  if (!under_way) port.credits.put_back();
  return under_way;
}

am_status endpoint::ship(am_rank to, seam::shipment one, const am_word* words) {
  std::copy_n(words, AM_WORDS, one.words);
  bool waited = false;
  blocked here(shown_.doing);
  while (!try_to_ship(to, one)) {
    wait_for_room(to, here, waited);
    if (ports_[to]->credits.free() != 0) continue;
    if (const am_status status = find_credit(to, true); status != AM_OK) return status;
  }
  while (one.at == seam::shipment::stage::going) wait_a_turn(here, "a store", &to);
  if (one.at == seam::shipment::stage::gone) return AM_OK;
  return base::fail(AM_ARGUMENT_ADDRESS, "a store of {} bytes at {} here: not all of it is mapped",
                    one.bytes, one.data);
}

// ---- gets ----

// True: nothing is owed any more.
bool endpoint::pay_by_shipment(owed_bytes& debt) noexcept {
  if (!debt.shipped) debt.shipped = try_to_ship(debt.to, debt.all);
  if (!debt.shipped) bulk_.put_off[debt.to] = bulk_.payments;
  if (debt.all.at == seam::shipment::stage::unreadable) {
    debt.failed = AM_ARGUMENT_ADDRESS;
    debt.shipped = false;
    return pay_a_part(debt);
  }
  return debt.is_paid();
}

// Back at the caller: a stream has brought all of it.
void endpoint::take_shipped(am_word number, const void* where, std::size_t bytes) noexcept {
  const completion& then = bulk_.gets.find(number)->then;
  if (!ports_[source_]->ships()) accuse("a piece of a get without its bytes", bytes, 0);
  if (where != then.data || bytes != then.bytes)
    accuse("the bytes of a get that stand elsewhere", bytes, then.bytes);
  bulk_.completions.push_back(then);
  bulk_.gets.remove(number);
}

// The answer to a get has come back: nothing is mapped where its caller wanted it.
bool endpoint::take_back_own(const am_word* words) noexcept {
  if (running_ != got_handler.id) return false;
  owed_bytes debt{source_, base::copied_once(words[0]), {}};
  debt.failed = AM_ARGUMENT_ADDRESS;
  bulk_.owed.push_back(debt);
  return true;
}

}  // namespace am::detail::core
