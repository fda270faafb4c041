// The other side of gets that come in messages: what this rank owes, and sends as it finds credits
// and room, in a transfer or piece by piece.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/bulk_server.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

owed_bytes& bulk_server::add(am_rank to, am_word number) {
  owed_bytes& debt = owed_.emplace_back(owed_bytes{to, number});
  ++counts_[to];
  ++count_;
  return debt;
}

void bulk_server::pay() noexcept {
  if (std::exchange(some_ended_, false)) take_ended();
  for (std::size_t turns = owed_.size(); turns != 0; --turns) {
    owed_bytes& debt = owed_.front();
    if (!sender_.is_payload_put_off(debt.to) && pay_a_part(debt)) {
      count_as_paid(debt.to);
      owed_.pop_front();
    } else {
      std::list<owed_bytes>& next = debt.under_way ? leaving_ : owed_;
      next.splice(next.end(), owed_, owed_.begin());
    }
  }
}

void bulk_server::take_ended() noexcept {
  for (auto next = leaving_.begin(); next != leaving_.end();) {
    const auto debt = next++;
    if (debt->all.at == seam::reach::under_way) continue;
    if (settle(*debt)) {
      count_as_paid(debt->to);
      leaving_.erase(debt);
    } else {
      owed_.splice(owed_.end(), leaving_, debt);
    }
  }
}

// Its transfer has ended. False: that has not gone well, and is told, or tried in another way.
bool bulk_server::settle(owed_bytes& debt) noexcept {
  end_loan(debt);
  if (debt.is_paid()) return true;
  debt.under_way = false;
  if (debt.all.at == seam::reach::bad_here) debt.failed = AM_ARGUMENT_ADDRESS;
  return false;
}

// True: nothing is owed any more. Bytes are looked at only with a credit in hand.
bool bulk_server::pay_a_part(owed_bytes& debt) noexcept {
  if (const am_status status = sender_.credit_now(debt.to); status != AM_OK) {
    put_off(debt, status);
    return false;
  }
  if (debt.failed != AM_OK)
    return sender_.request(debt.to, get_failed_handler, debt.number,
                           static_cast<am_word>(debt.failed)) == AM_OK;
  if (debt.sent == 0 && may_stream(debt)) begin_answer(debt);
  if (debt.under_way) {
    if (debt.all.at == seam::reach::under_way) return false;
    return settle(debt) || pay_a_part(debt);
  }
  return !sender_.is_payload_put_off(debt.to) && pay_one_piece(debt);
}

// A transport reads few bytes itself, so they have to be in a segment; those that another rank has
// named elsewhere may not be mapped.
bool bulk_server::may_stream(const owed_bytes& debt) const noexcept {
  return peers_.port(debt.to).streams() && (debt.all.bytes > wire::most_put_in_messages ||
                                            segments_.own(debt.all.here, debt.all.bytes));
}

// With a credit in hand.
void bulk_server::begin_answer(owed_bytes& debt) noexcept {
  seam::port& port = peers_.port(debt.to);
  port.credits.take();
  debt.all.at = seam::reach::under_way;
  debt.all.stays = segments_.lend(debt.all.here, debt.all.bytes);
  const seam::reach begun = port.put(debt.all);
  debt.under_way = begun == seam::reach::under_way || begun == seam::reach::done;
  if (begun != seam::reach::under_way) debt.all.at = begun;
  if (debt.under_way) return;
  end_loan(debt);
  sender_.put_back_credit(debt.to);
  if (debt.all.at == seam::reach::busy) (void)sender_.put_off(debt.to, AM_AGAIN_PAYLOAD);
}

void bulk_server::end_loan(owed_bytes& debt) noexcept {
  if (std::exchange(debt.all.stays, false)) segments_.end_loan(debt.all.here);
}

// Until the next round, with all that is owed to that rank. A way there may be found yet; debts to
// the dead go with them.
void bulk_server::put_off(owed_bytes& debt, am_status status) noexcept {
  (void)sender_.put_off(debt.to, status);
  if (am_status_reason(status) == AM_REASON_AGAIN || peers_.is_dead(debt.to)) return;
  if (!std::exchange(debt.told, true))
    base::log(base::log_level::warn, "a get of rank {} cannot be answered yet: {}", debt.to,
              am_error_text());
}

// A try in vain, behind all that its poll or look has delivered, is followed by a sign of the
// transport; what has not been tried waits for none.
bool bulk_server::can_pay() const noexcept {
  return std::ranges::any_of(
      owed_, [&](const owed_bytes& debt) { return !sender_.is_payload_put_off(debt.to); });
}

bool bulk_server::pay_one_piece(owed_bytes& debt) noexcept {
  const auto* from = static_cast<const std::byte*>(debt.all.here) + debt.sent;
  const std::size_t bytes = std::min(peers_.max_medium(), debt.all.bytes - debt.sent);
  if (!segments_.own(from, bytes)) {
    piece_.resize(bytes);
    if (base::copy_checked(piece_.data(), from, bytes) != base::copied::all) {
      debt.failed = AM_ARGUMENT_ADDRESS;
      return pay_a_part(debt);
    }
    from = piece_.data();
  }
  const am_word words[AM_WORDS] = {debt.number, debt.sent, 0, 0};
  if (const am_status status = sender_.medium(debt.to, got_handler, from, bytes, words);
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

bool bulk_server::take_back(const am_word* words) noexcept {
  if (dispatcher_.running() != got_handler.id) return false;
  add(dispatcher_.source(), base::copied_once(words[0])).failed = AM_ARGUMENT_ADDRESS;
  return true;
}

// A put that ends inside its own call is among those that are being tried.
void bulk_server::transferred(const seam::transfer& one) noexcept {
  some_ended_ = true;
  if (one.at == seam::reach::done) return;
  const auto is_it = [&](const owed_bytes& of) { return &of.all == &one; };
  const auto leaving = std::ranges::find_if(leaving_, is_it);
  sender_.put_back_held_credit(leaving != leaving_.end() ? leaving->to : owed_.front().to);
}

std::size_t bulk_server::unpaid(am_rank rank) const noexcept {
  const auto paid = std::ranges::count_if(
      leaving_, [&](const owed_bytes& debt) { return debt.to == rank && debt.is_paid(); });
  return counts_[rank] - static_cast<std::size_t>(paid);
}

void bulk_server::forget(am_rank rank) noexcept {
  const auto of_rank = [&](owed_bytes& debt) {
    if (debt.to == rank) end_loan(debt);
    return debt.to == rank;
  };
  std::erase_if(owed_, of_rank);
  std::erase_if(leaving_, of_rank);
  counts_[rank] = 0;
  count_ = owed_.size() + leaving_.size();
}

}  // namespace am::detail::core
