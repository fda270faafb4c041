// Bulk data into and out of the peer's segments. Where UCX has such memory mapped here, a copy does
// it. Elsewhere a store is a put, a flush, and then the notice: between a put and a message UCX
// keeps no order. Puts that begin while one flush is under way share the next.
#include <libam/base/format.hpp>
#include <libam/wire/payload_sizes.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

namespace am::detail::ucx {

bool channel::is_mapped(ucp_rkey_h key, const void* where, void*& here) const noexcept {
  return ucp_rkey_ptr(key, reinterpret_cast<std::uintptr_t>(where), &here) == UCS_OK;
}

am_word* channel::word_at(am_word* there) noexcept {
  const ucp_rkey_h key = theirs_.key_to(there, sizeof *there, endpoint_);
  void* here = nullptr;
  return key != nullptr && is_mapped(key, there, here) ? static_cast<am_word*>(here) : nullptr;
}

// Few bytes go in messages: those need no flush.
seam::reach channel::put(seam::transfer& what) noexcept {
  const ucp_rkey_h key =
      state_ == state::open ? theirs_.key_to(what.there, what.bytes, endpoint_) : nullptr;
  if (key == nullptr) return seam::reach::no_way;
  if (void* here = nullptr; is_mapped(key, what.there, here)) {
    std::memcpy(here, what.here, what.bytes);
    notify(what);
    return seam::reach::done;
  }
  if (what.bytes <= wire::most_put_in_messages || what.at_once) return seam::reach::no_way;
  transit* const one = begin_transit(what, "ucp_put_nbx");
  if (one == nullptr) return seam::reach::busy;
  one->is_put = true;
  puts_.push_back(one);
  const ucp_request_param_t how = of_transit(*one);
  has_put_ = true;
  one->flush = flushes_begun_ + 1;  // one that is under way began before this put
  const seam::reach reached =
      carry(*one, ucp_put_nbx(endpoint_, what.here, what.bytes,
                              reinterpret_cast<std::uintptr_t>(what.there), key, &how));
  if (reached == seam::reach::under_way && !flushes()) begin_flush();
  return reached;
}

seam::reach channel::get(seam::transfer& what) noexcept {
  const ucp_rkey_h key =
      state_ == state::open ? theirs_.key_to(what.there, what.bytes, endpoint_) : nullptr;
  if (key == nullptr) return seam::reach::no_way;
  if (void* here = nullptr; is_mapped(key, what.there, here)) {
    std::memcpy(what.here, here, what.bytes);
    return seam::reach::done;
  }
  transit* const one = begin_transit(what, "ucp_get_nbx");
  if (one == nullptr) return seam::reach::busy;
  const ucp_request_param_t how = of_transit(*one);
  return carry(*one, ucp_get_nbx(endpoint_, what.here, what.bytes,
                                 reinterpret_cast<std::uintptr_t>(what.there), key, &how));
}

// ---- transits -----------------------------------------------------------------------------------

// Null: there is no memory for it.
channel::transit* channel::begin_transit(seam::transfer& what, const char* call) noexcept try {
  transits_.push_back({this, &what, call});
  transits_.back().self = std::prev(transits_.end());
  keeper_.begins_transfer();
  return &transits_.back();
} catch (const std::bad_alloc&) {
  peers_.has_news();  // no sign of UCX follows
  return nullptr;
}

ucp_request_param_t channel::of_transit(transit& one) noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* moved) noexcept {
    ucp_request_free(request);
    auto& it = *static_cast<transit*>(moved);
    it.of->has_moved(it, status);
  };
  how.user_data = &one;
  return how;
}

// UCX may have carried it at once. Then a get is done, and the bytes of a put are read.
seam::reach channel::carry(transit& one, ucs_status_ptr_t begun) noexcept {
  if (UCS_PTR_IS_PTR(begun)) return seam::reach::under_way;
  one.over = true;
  const ucs_status_t status = UCS_PTR_STATUS(begun);
  if (status == UCS_OK && one.is_put) {
    one.what->released = true;
    return seam::reach::under_way;
  }
  const char* const call = one.call;
  end_transit(one);
  if (status == UCS_OK) return seam::reach::done;
  fail(call, status);
  return seam::reach::no_way;
}

// Where the way is lost UCX has the bytes until it says that it is done with them; the messages
// that go instead come back.
void channel::has_moved(transit& one, ucs_status_t status) noexcept {
  one.over = true;
  const char* const call = one.call;
  if (status == UCS_OK && one.is_put && !given_up_) {
    if (one.what != nullptr) one.what->released = true;
    if (one.flush <= flushes_done_) end_puts();
    return;
  }
  const bool is_here = status == UCS_OK && !one.is_put;
  seam::transfer* const what = end_transit(one);
  if (what != nullptr)
    arrivals_.transferred(*what, is_here ? seam::reach::done : seam::reach::no_way);
  settle();
  if (status != UCS_OK) fail(call, status);
}

// What it carried, if that has not ended before.
seam::transfer* channel::end_transit(transit& one) noexcept {
  seam::transfer* const what = let_go(one);
  if (one.is_put) puts_.erase(std::ranges::find(puts_, &one));
  transits_.erase(one.self);
  return what;
}

seam::transfer* channel::let_go(transit& one) noexcept {
  if (one.what != nullptr) keeper_.ends_transfer();
  return std::exchange(one.what, nullptr);
}

// Their notices leave in the order of the puts.
void channel::end_puts() noexcept {
  while (state_ == state::open && !puts_.empty()) {
    transit* const next = puts_.front();
    if (!next->over || next->flush > flushes_done_) return;
    seam::transfer* const what = end_transit(*next);
    if (what == nullptr) continue;
    const seam::transfer it = *what;
    arrivals_.transferred(*what, seam::reach::done);
    notify(it);
  }
}

// A dead peer's transfers never come to an end, and none brings anything any more. Of a peer that
// is only out of reach UCX has the bytes until it says that it is done with them.
void channel::give_up(seam::mourner& all) noexcept {
  given_up_ = true;
  end();
  frames_out_.give_up(all, peer, has_been_open_);
  abandon_transits(all.has_died(peer));
}

void channel::abandon_transits(bool all) noexcept {
  for (transit& one : transits_) {
    if (!all && !one.over) continue;
    if (seam::transfer* const what = let_go(one); what != nullptr)
      arrivals_.transferred(*what, seam::reach::no_way);
  }
}

// Of one that was given up as lost before, nothing comes to an end any more.
void channel::bury() noexcept {
  if (given_up_) abandon_transits(true);
  end();
}

void channel::forget(std::span<const std::byte> announcement) {
  to_forget_.emplace_back(announcement.begin(), announcement.end());
  settle();
}

void channel::settle() noexcept {
  if (to_forget_.empty() || !transits_.empty() || has_put_ || flushes()) return;
  if (state_ != state::open) return;
  for (const std::vector<std::byte>& one : std::exchange(to_forget_, {})) {
    theirs_.forget(one);
    tell(kind::forgotten, one);
  }
}

// ---- notices ------------------------------------------------------------------------------------

// Beside so many bytes a frame of its own costs nothing, and the peer can look at them while more
// are copied.
void channel::notify(const seam::transfer& what) noexcept {
  send_bulk(what.handler, what.words, what.there, what.bytes);
  if (what.bytes > wire::most_put_in_messages) flush();
}

void channel::begin_flush() noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* self) noexcept {
    ucp_request_free(request);
    static_cast<channel*>(self)->end_flush(status);
  };
  how.user_data = this;
  has_put_ = false;
  ++flushes_begun_;
  const ucs_status_ptr_t begun = ucp_ep_flush_nbx(endpoint_, &how);
  if (!UCS_PTR_IS_PTR(begun)) end_flush(UCS_PTR_STATUS(begun));
}

void channel::end_flush(ucs_status_t status) noexcept {
  flushes_done_ = flushes_begun_;
  if (status != UCS_OK) return fail("ucp_ep_flush_nbx", status);
  end_puts();
  if (has_put_ && state_ == state::open) begin_flush();
  settle();
  peers_.has_news();
}

}  // namespace am::detail::ucx
