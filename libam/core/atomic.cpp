// One word of another rank's memory, read and changed in one step: by this processor where the word
// is mapped here, otherwise by a handler there. Both are atomic towards each other.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>

#include <algorithm>
#include <atomic>

namespace am::detail::core {

namespace {

// Says what stood there before.
am_word apply(am_word& place, am_atomic_op op, am_word operand, am_word expected) noexcept {
  const std::atomic_ref<am_word> word(place);
  switch (op) {
    case AM_FETCH_ADD: return word.fetch_add(operand);
    case AM_EXCHANGE: return word.exchange(operand);
    case AM_COMPARE_SWAP: word.compare_exchange_strong(expected, operand); return expected;
  }
  return 0;
}

bool is_operation(am_word op) noexcept { return op <= AM_COMPARE_SWAP; }

}  // namespace

am_status endpoint::atomic(am_rank at, am_word* where, am_atomic_op op, am_word operand,
                           am_word expected, const am_handler* done, const am_word* words) {
  am_status status = check_bulk("atomic", at, where, &operand, sizeof *where, done);
  if (status != AM_OK) return status;
  if (!is_operation(op))
    return base::fail(AM_ARGUMENT_SIZE, "atomic: operation {}: there are {} to {}",
                      static_cast<unsigned>(op), static_cast<unsigned>(AM_FETCH_ADD),
                      static_cast<unsigned>(AM_COMPARE_SWAP));
  if (reinterpret_cast<std::uintptr_t>(where) % sizeof *where != 0)
    return base::fail(AM_ARGUMENT_ADDRESS,
                      "atomic at {} of rank {}: a word stands at a multiple of "
                      "{}",
                      static_cast<void*>(where), at, sizeof *where);
  look(at);
  if (ports_[at] == &nowhere_) status = make_contact(at, true);
  call* one = nullptr;
  if (status == AM_OK) status = new_call(call::kind::atomic, at, one);
  if (status != AM_OK) return status;
  one->there = where;
  one->op = op;
  one->operand = operand;
  one->expected = expected;
  one->then = {at, done->id, {0, words[0], words[1], words[2]}, nullptr, 0, AM_OK};
  status = begin_in_turn(*one);
  if (status == AM_OK) ++traffic_[at].atomics;
  return status;
}

am_status endpoint::begin_atomic(call& one) {
  const am_rank at = one.then.peer;
  auto* const where = static_cast<am_word*>(one.there);
  const bool mine = at == rank_ && owns(where, sizeof *where);
  if (am_word* const here = mine ? where : ports_[at]->word_at(where); here != nullptr) {
    one.then.words[0] = apply(*here, one.op, one.operand, one.expected);
    end_call(one, AM_OK, false);
    return AM_OK;
  }
  if (const am_status status = credit_now(at); status != AM_OK) return status;
  bulk_.pending.set_asked(one);
  seam::port& port = *ports_[at];
  port.credits.take();
  port.send(atomic_handler.id, reinterpret_cast<std::uintptr_t>(where),
            one.number << 8 | static_cast<am_word>(one.op), one.operand, one.expected);
  return AM_OK;
}

void endpoint::on_atomic(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  const am_word place = base::copied_once(words[0]);
  const am_word what = base::copied_once(words[1]);
  auto* const where = reinterpret_cast<am_word*>(place);
  const am_word number = what >> 8;
  const am_word op = what & 0xff;
  const bool there = is_operation(op) && place % sizeof *where == 0 &&
                     (self.owns(where, sizeof *where) || base::word_can_be_written(where));
  if (!there) {
    self.reply(token.serial, &atomic_failed_handler, number, 0, 0, 0);
    return;
  }
  const am_word before = apply(*where, static_cast<am_atomic_op>(op), words[2], words[3]);
  self.reply(token.serial, &atomic_done_handler, number, before, 0, 0);
}

void endpoint::end_atomic(const am_word* words, am_status reason) noexcept {
  call* const one = asked_of_source(call::kind::atomic, base::copied_once(words[0]));
  if (one == nullptr) return;
  one->then.words[0] = words[1];
  end_call(*one, reason, false);
}

void endpoint::on_atomic_done(am_token token, const am_word* words, const void*, std::size_t) {
  of(token.ep).end_atomic(words, AM_OK);
}
void endpoint::on_atomic_failed(am_token token, const am_word* words, const void*, std::size_t) {
  of(token.ep).end_atomic(words, AM_ARGUMENT_ADDRESS);
}

}  // namespace am::detail::core
