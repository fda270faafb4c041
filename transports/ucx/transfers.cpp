#include <libam/wire/payload_sizes.hpp>
#include <transports/ucx/transfers.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

namespace am::detail::ucx {

namespace {
bool is_mapped(ucp_rkey_h key, const void* where, void*& here) noexcept {
  return ucp_rkey_ptr(key, reinterpret_cast<std::uintptr_t>(where), &here) == UCS_OK;
}
}  // namespace

transfers::transfers(endpoint& to, standing& pair, seam::sender_credits& of_pair,
                     packed::frame_writer& frames, outgoing& out, peers& all,
                     channel_keeper& keeper, seam::inbox& arrivals) noexcept
    : to_(to),
      pair_(pair),
      credits_(of_pair),
      frames_(frames),
      out_(out),
      peers_(all),
      keeper_(keeper),
      arrivals_(arrivals) {}

ucp_rkey_h transfers::key_to(const void* there, std::size_t bytes) noexcept {
  return pair_.is_open() ? theirs_.key_to(there, bytes, to_.handle()) : nullptr;
}

am_word* transfers::word_at(am_word* there) noexcept {
  const ucp_rkey_h key = theirs_.key_to(there, sizeof *there, to_.handle());
  void* here = nullptr;
  return key != nullptr && is_mapped(key, there, here) ? static_cast<am_word*>(here) : nullptr;
}

// Few bytes go in messages: those need no flush.
seam::reach transfers::put(seam::transfer& what) noexcept {
  const ucp_rkey_h key = key_to(what.there, what.bytes);
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
  one->flush = flushes_.has_put();
  const seam::reach reached =
      carry(*one, ucp_put_nbx(to_.handle(), what.here, what.bytes,
                              reinterpret_cast<std::uintptr_t>(what.there), key, &how));
  if (reached != seam::reach::under_way) return reached;
  credits_.hold();
  if (!flushes_.is_under_way()) begin_flush();
  return reached;
}

seam::reach transfers::get(seam::transfer& what) noexcept {
  const ucp_rkey_h key = key_to(what.there, what.bytes);
  if (key == nullptr) return seam::reach::no_way;
  if (void* here = nullptr; is_mapped(key, what.there, here)) {
    std::memcpy(what.here, here, what.bytes);
    return seam::reach::done;
  }
  transit* const one = begin_transit(what, "ucp_get_nbx");
  if (one == nullptr) return seam::reach::busy;
  const ucp_request_param_t how = of_transit(*one);
  return carry(*one, ucp_get_nbx(to_.handle(), what.here, what.bytes,
                                 reinterpret_cast<std::uintptr_t>(what.there), key, &how));
}

bool transfers::waits() const noexcept {
  return std::ranges::any_of(all_, &transit::is_carried) ||
         (pair_.is_open() && flushes_.is_under_way());
}

// ---- those under way ----------------------------------------------------------------------------

// Null: there is no memory for it.
transfers::transit* transfers::begin_transit(seam::transfer& what, const char* call) noexcept try {
  all_.push_back({this, &what, call});
  all_.back().self = std::prev(all_.end());
  keeper_.begins_transfer();
  return &all_.back();
} catch (const std::bad_alloc&) {
  peers_.has_news();  // no sign of UCX follows
  return nullptr;
}

ucp_request_param_t transfers::of_transit(transit& one) noexcept {
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
seam::reach transfers::carry(transit& one, ucs_status_ptr_t begun) noexcept {
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
  pair_.fail(call, status);
  return seam::reach::no_way;
}

// Where the way is lost UCX has the bytes until it says that it is done with them; the messages
// that go instead come back.
void transfers::has_moved(transit& one, ucs_status_t status) noexcept {
  one.over = true;
  const char* const call = one.call;
  if (status == UCS_OK && one.is_put && !given_up_) {
    if (one.what != nullptr) one.what->released = true;
    if (!flushes_.has_ended(one.flush)) return;
    end_puts();
    settle();
    peers_.has_news();
    return;
  }
  const bool is_here = status == UCS_OK && !one.is_put;
  seam::transfer* const what = end_transit(one);
  if (what != nullptr)
    arrivals_.transferred(*what, is_here ? seam::reach::done : seam::reach::no_way);
  if (status != UCS_OK) pair_.fail(call, status);
  settle();
}

// What it carried, if that has not ended before.
seam::transfer* transfers::end_transit(transit& one) noexcept {
  seam::transfer* const what = let_go(one);
  if (one.is_put) puts_.erase(std::ranges::find(puts_, &one));
  all_.erase(one.self);
  return what;
}

seam::transfer* transfers::let_go(transit& one) noexcept {
  if (one.what != nullptr) keeper_.ends_transfer();
  return std::exchange(one.what, nullptr);
}

// Their notices leave in the order of the puts.
void transfers::end_puts() noexcept {
  while (pair_.is_open() && !puts_.empty()) {
    transit* const next = puts_.front();
    if (!next->over || !flushes_.has_ended(next->flush)) return;
    seam::transfer* const what = end_transit(*next);
    if (what == nullptr) continue;
    const seam::transfer it = *what;
    arrivals_.transferred(*what, seam::reach::done);
    credits_.send_held();
    notify(it);
  }
}

void transfers::give_up(bool dead) noexcept {
  given_up_ = true;
  abandon(dead);
}

void transfers::bury() noexcept {
  if (given_up_) abandon(true);
}

void transfers::abandon(bool all) noexcept {
  for (transit& one : all_) {
    if (!all && !one.over) continue;
    if (seam::transfer* const what = let_go(one); what != nullptr)
      arrivals_.transferred(*what, seam::reach::no_way);
  }
}

// ---- segments -----------------------------------------------------------------------------------

void transfers::forget(std::span<const std::byte> announcement) {
  to_forget_.emplace_back(announcement.begin(), announcement.end());
  settle();
}

void transfers::settle() noexcept {
  if (to_forget_.empty() || !all_.empty() || flushes_.is_due() || flushes_.is_under_way()) return;
  if (!pair_.is_open()) return;
  for (const std::vector<std::byte>& one : std::exchange(to_forget_, {})) {
    theirs_.forget(one);
    out_.tell(kind::forgotten, one);
  }
}

// ---- notices ------------------------------------------------------------------------------------

// Beside so many bytes a frame of its own costs nothing, and the peer can look at them while more
// are copied.
void transfers::notify(const seam::transfer& what) noexcept {
  out_.has_message(frames_.notice(what.handler, what.words, what.there, what.bytes));
  if (what.bytes > wire::most_put_in_messages) out_.flush();
}

void transfers::begin_flush() noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* self) noexcept {
    ucp_request_free(request);
    static_cast<transfers*>(self)->end_flush(status);
  };
  how.user_data = this;
  flushes_.begin();
  const ucs_status_ptr_t begun = ucp_ep_flush_nbx(to_.handle(), &how);
  if (!UCS_PTR_IS_PTR(begun)) end_flush(UCS_PTR_STATUS(begun));
}

void transfers::end_flush(ucs_status_t status) noexcept {
  flushes_.end();
  if (status != UCS_OK) return pair_.fail("ucp_ep_flush_nbx", status);
  end_puts();
  if (flushes_.is_due() && pair_.is_open()) begin_flush();
  settle();
  peers_.has_news();
}

}  // namespace am::detail::ucx
