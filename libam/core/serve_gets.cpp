// The other side of gets that come in messages: pending gets, served as credits and room are found,
// in a transfer or piece by piece.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/core/bulk_server.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

pending_get& bulk_server::add(am_rank to, am_word number) {
  pending_get& get = pending_.emplace_back(pending_get{to, number});
  ++counts_[to];
  ++count_;
  return get;
}

void bulk_server::serve() noexcept {
  if (std::exchange(has_ended_transfers_, false)) collect_ended_transfers();
  for (std::size_t remaining = pending_.size(); remaining != 0; --remaining) {
    pending_get& get = pending_.front();
    if (!sender_.is_payload_deferred(get.to) && serve_step(get)) {
      forget_one(get.to);
      pending_.pop_front();
    } else {
      std::list<pending_get>& next = get.under_way ? in_transfer_ : pending_;
      next.splice(next.end(), pending_, pending_.begin());
    }
  }
}

void bulk_server::collect_ended_transfers() noexcept {
  for (auto next = in_transfer_.begin(); next != in_transfer_.end();) {
    const auto get = next++;
    if (get->transfer.status == seam::transfer_status::under_way) continue;
    if (finish_stream(*get)) {
      forget_one(get->to);
      in_transfer_.erase(get);
    } else {
      pending_.splice(pending_.end(), in_transfer_, get);
    }
  }
}

// Its transfer has ended. False: it has failed, which is reported, or messages carry the bytes.
bool bulk_server::finish_stream(pending_get& get) noexcept {
  unpin(get);
  if (get.is_served()) return true;
  get.under_way = false;
  if (get.transfer.status == seam::transfer_status::bad_local_address)
    get.failed = AM_ARGUMENT_ADDRESS;
  return false;
}

// True: nothing of it is pending any more. Bytes are read only with a credit in hand.
bool bulk_server::serve_step(pending_get& get) noexcept {
  if (const am_status status = sender_.find_credit_or_defer(get.to); status != AM_OK) {
    defer(get, status);
    return false;
  }
  if (get.failed != AM_OK)
    return sender_.request(get.to, get_failed_handler, get.number,
                           static_cast<am_word>(get.failed)) == AM_OK;
  if (get.sent == 0 && may_stream(get)) begin_stream(get);
  if (get.under_way) {
    if (get.transfer.status == seam::transfer_status::under_way) return false;
    return finish_stream(get) || serve_step(get);
  }
  return !sender_.is_payload_deferred(get.to) && send_next_piece(get);
}

// A transport reads up to wire::most_eager_bytes bytes itself, so these have to be in a
// segment: at another address that a rank has named nothing may be mapped.
bool bulk_server::may_stream(const pending_get& get) const noexcept {
  return peers_.port(get.to).streams() &&
         (get.transfer.bytes > wire::most_eager_bytes ||
          segments_.contains(get.transfer.here, get.transfer.bytes));
}

// With a credit in hand.
void bulk_server::begin_stream(pending_get& get) noexcept {
  seam::port& port = peers_.port(get.to);
  port.credits.take();
  get.transfer.status = seam::transfer_status::under_way;
  get.transfer.source_stable = segments_.pin(get.transfer.here, get.transfer.bytes);
  const seam::transfer_status begun = port.put(get.transfer);
  get.under_way = begun == seam::transfer_status::under_way || begun == seam::transfer_status::done;
  if (begun != seam::transfer_status::under_way) get.transfer.status = begun;
  if (get.under_way) return;
  unpin(get);
  sender_.put_back_credit(get.to);
  if (get.transfer.status == seam::transfer_status::busy)
    (void)sender_.defer(get.to, AM_AGAIN_PAYLOAD);
}

void bulk_server::unpin(pending_get& get) noexcept {
  if (std::exchange(get.transfer.source_stable, false)) segments_.unpin(get.transfer.here);
}

// Until the next round, with all that is pending for that rank. A route there may still be found;
// what is pending for the dead is dropped with them.
void bulk_server::defer(pending_get& get, am_status status) noexcept {
  (void)sender_.defer(get.to, status);
  if (am_status_reason(status) == AM_REASON_AGAIN || peers_.is_dead(get.to)) return;
  if (!std::exchange(get.warned, true))
    base::log(base::log_level::warn, "a get of rank {} cannot be answered yet: {}", get.to,
              am_error_text());
}

// A try in vain, behind all that its poll has delivered, is followed by an event of the transport;
// no event follows for what has not been tried.
bool bulk_server::can_serve() const noexcept {
  return std::ranges::any_of(
      pending_, [&](const pending_get& get) { return !sender_.is_payload_deferred(get.to); });
}

bool bulk_server::send_next_piece(pending_get& get) noexcept {
  const auto* from = static_cast<const std::byte*>(get.transfer.here) + get.sent;
  const std::size_t bytes = std::min(peers_.max_medium(), get.transfer.bytes - get.sent);
  if (!segments_.contains(from, bytes)) {
    piece_.resize(bytes);
    if (base::copy_checked(piece_.data(), from, bytes) != base::copy_status::all) {
      get.failed = AM_ARGUMENT_ADDRESS;
      return serve_step(get);
    }
    from = piece_.data();
  }
  const am_word words[AM_WORDS] = {get.number, get.sent, 0, 0};
  if (const am_status status = sender_.medium(get.to, got_handler, from, bytes, words);
      status != AM_OK) {
    if (am_status_reason(status) == AM_REASON_RESOURCE) {
      get.failed = AM_RESOURCE_SPACE;
      return serve_step(get);
    }
    defer(get, status);
    return false;
  }
  get.sent += bytes;
  return get.sent == get.transfer.bytes;
}

bool bulk_server::handle_returned(const am_word* words) noexcept {
  if (dispatcher_.running() != got_handler.id) return false;
  add(dispatcher_.source(), base::read_once(words[0])).failed = AM_ARGUMENT_ADDRESS;
  return true;
}

// A put that ends inside its own call is still the first of pending_.
void bulk_server::on_transfer_end(const seam::transfer& one) noexcept {
  has_ended_transfers_ = true;
  if (one.status == seam::transfer_status::done) return;
  const auto is_it = [&](const pending_get& of) { return &of.transfer == &one; };
  const auto in_transfer = std::ranges::find_if(in_transfer_, is_it);
  sender_.put_back_held_credit(in_transfer != in_transfer_.end() ? in_transfer->to
                                                                 : pending_.front().to);
}

std::size_t bulk_server::unserved(am_rank rank) const noexcept {
  const auto served = std::ranges::count_if(
      in_transfer_, [&](const pending_get& get) { return get.to == rank && get.is_served(); });
  return counts_[rank] - static_cast<std::size_t>(served);
}

void bulk_server::drop_peer(am_rank rank) noexcept {
  const auto is_of_rank = [&](pending_get& get) {
    if (get.to == rank) unpin(get);
    return get.to == rank;
  };
  std::erase_if(pending_, is_of_rank);
  std::erase_if(in_transfer_, is_of_rank);
  counts_[rank] = 0;
  count_ = pending_.size() + in_transfer_.size();
}

}  // namespace am::detail::core
