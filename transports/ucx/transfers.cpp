#include <transports/ucx/transfers.hpp>

#include <libam/wire/payload_sizes.hpp>

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

transfers::transfers(ucx_endpoint& to, pair_state& pair, seam::sender_credits& credits,
                     packed::frame_writer& frames, frame_sender& out, peers& all_peers,
                     channel_manager& manager, seam::inbox& arrivals) noexcept
    : ep_(to),
      pair_(pair),
      credits_(credits),
      frames_(frames),
      out_(out),
      peers_(all_peers),
      manager_(manager),
      arrivals_(arrivals) {}

ucp_rkey_h transfers::key_to(const void* there, std::size_t bytes) noexcept {
  return pair_.is_open() ? remote_segments_.key_to(there, bytes, ep_.handle()) : nullptr;
}

am_word* transfers::mapped_word(am_word* there) noexcept {
  const ucp_rkey_h key = remote_segments_.key_to(there, sizeof *there, ep_.handle());
  void* here = nullptr;
  return key != nullptr && is_mapped(key, there, here) ? static_cast<am_word*>(here) : nullptr;
}

// Few bytes go in messages: those need no flush.
seam::transfer_status transfers::put(seam::transfer& what) noexcept {
  const ucp_rkey_h key = key_to(what.there, what.bytes);
  if (key == nullptr) return seam::transfer_status::unsupported;
  if (void* here = nullptr; is_mapped(key, what.there, here)) {
    std::memcpy(here, what.here, what.bytes);
    send_notice(what);
    return seam::transfer_status::done;
  }
  if (!ep_.may_put_and_get() || what.bytes <= wire::most_eager_bytes || what.at_once)
    return seam::transfer_status::unsupported;
  pending_op* const one = begin_op(what, "ucp_put_nbx");
  if (one == nullptr) return seam::transfer_status::busy;
  one->is_put = true;
  puts_.push_back(one);
  const ucp_request_param_t how = op_params(*one);
  one->flush = flush_counter_.count_put();
  const seam::transfer_status reached =
      on_started(*one, ucp_put_nbx(ep_.handle(), what.here, what.bytes,
                                   reinterpret_cast<std::uintptr_t>(what.there), key, &how));
  if (reached != seam::transfer_status::under_way) return reached;
  credits_.hold();
  if (!flush_counter_.is_under_way()) begin_flush();
  return reached;
}

seam::transfer_status transfers::get(seam::transfer& what) noexcept {
  const ucp_rkey_h key = key_to(what.there, what.bytes);
  if (key == nullptr) return seam::transfer_status::unsupported;
  if (void* here = nullptr; is_mapped(key, what.there, here)) {
    std::memcpy(what.here, here, what.bytes);
    return seam::transfer_status::done;
  }
  if (!ep_.may_put_and_get()) return seam::transfer_status::unsupported;
  pending_op* const one = begin_op(what, "ucp_get_nbx");
  if (one == nullptr) return seam::transfer_status::busy;
  const ucp_request_param_t how = op_params(*one);
  return on_started(*one, ucp_get_nbx(ep_.handle(), what.here, what.bytes,
                                      reinterpret_cast<std::uintptr_t>(what.there), key, &how));
}

bool transfers::needs_progress() const noexcept {
  return std::ranges::any_of(all_, &pending_op::has_transfer) ||
         (pair_.is_open() && flush_counter_.is_under_way());
}

// ---- operations ---------------------------------------------------------------------------------

// Null: there is no memory for it.
transfers::pending_op* transfers::begin_op(seam::transfer& what, const char* call) noexcept try {
  all_.push_back({this, &what, call});
  all_.back().self = std::prev(all_.end());
  manager_.on_transfer_begin();
  return &all_.back();
} catch (const std::bad_alloc&) {
  peers_.note_credits_or_room();  // no event of UCX follows
  return nullptr;
}

ucp_request_param_t transfers::op_params(pending_op& one) noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* moved) noexcept {
    ucp_request_free(request);
    auto& it = *static_cast<pending_op*>(moved);
    it.owner->on_op_complete(it, status);
  };
  how.user_data = &one;
  return how;
}

// UCX may have completed it at once. Then a get is done, and the bytes of a put are read.
seam::transfer_status transfers::on_started(pending_op& one, ucs_status_ptr_t begun) noexcept {
  if (UCS_PTR_IS_PTR(begun)) return seam::transfer_status::under_way;
  one.ucx_done = true;
  const ucs_status_t status = UCS_PTR_STATUS(begun);
  if (status == UCS_OK && one.is_put) {
    one.what->released = true;
    return seam::transfer_status::under_way;
  }
  const char* const call = one.call;
  end_op(one);
  if (status == UCS_OK) return seam::transfer_status::done;
  pair_.fail(call, status);
  return seam::transfer_status::unsupported;
}

// Where the connection is lost UCX may use the bytes until it completes the operation. What is
// reported as unsupported is sent as messages instead, and those are returned.
void transfers::on_op_complete(pending_op& one, ucs_status_t status) noexcept {
  one.ucx_done = true;
  const char* const call = one.call;
  if (status == UCS_OK && one.is_put && !pending_failed_) {
    if (one.what != nullptr) one.what->released = true;
    if (!flush_counter_.has_ended(one.flush)) return;
    complete_puts();
    forget_if_idle();
    peers_.note_credits_or_room();
    return;
  }
  const bool is_here = status == UCS_OK && !one.is_put;
  seam::transfer* const what = end_op(one);
  if (what != nullptr)
    arrivals_.end_transfer(
        *what, is_here ? seam::transfer_status::done : seam::transfer_status::unsupported);
  if (status != UCS_OK) pair_.fail(call, status);
  forget_if_idle();
}

// Returns its transfer, unless that has ended before.
seam::transfer* transfers::end_op(pending_op& one) noexcept {
  seam::transfer* const what = detach_transfer(one);
  if (one.is_put) puts_.erase(std::ranges::find(puts_, &one));
  all_.erase(one.self);
  return what;
}

seam::transfer* transfers::detach_transfer(pending_op& one) noexcept {
  if (one.what != nullptr) manager_.on_transfer_end();
  return std::exchange(one.what, nullptr);
}

// Notices are sent in the order of the puts.
void transfers::complete_puts() noexcept {
  while (pair_.is_open() && !puts_.empty()) {
    pending_op* const next = puts_.front();
    if (!next->ucx_done || !flush_counter_.has_ended(next->flush)) return;
    seam::transfer* const what = end_op(*next);
    if (what == nullptr) continue;
    const seam::transfer it = *what;
    arrivals_.end_transfer(*what, seam::transfer_status::done);
    credits_.send_held();
    send_notice(it);
  }
}

void transfers::fail_pending(bool dead) noexcept {
  pending_failed_ = true;
  end_transfers(dead);
}

void transfers::retire_peer() noexcept {
  if (pending_failed_) end_transfers(true);
}

void transfers::end_transfers(bool all) noexcept {
  for (pending_op& one : all_) {
    if (!all && !one.ucx_done) continue;
    if (seam::transfer* const what = detach_transfer(one); what != nullptr)
      arrivals_.end_transfer(*what, seam::transfer_status::unsupported);
  }
}

// ---- segments -----------------------------------------------------------------------------------

void transfers::forget(std::span<const std::byte> announcement) {
  to_forget_.emplace_back(announcement.begin(), announcement.end());
  forget_if_idle();
}

void transfers::forget_if_idle() noexcept {
  if (to_forget_.empty() || !all_.empty() || flush_counter_.is_due() ||
      flush_counter_.is_under_way())
    return;
  if (!pair_.is_open()) return;
  for (const std::vector<std::byte>& one : std::exchange(to_forget_, {})) {
    remote_segments_.forget(one);
    out_.send_control(kind::segment_forgotten, one);
  }
}

// ---- notices ------------------------------------------------------------------------------------

// Beside many bytes a frame of its own costs nothing, and the peer can use them while more are
// copied.
void transfers::send_notice(const seam::transfer& what) noexcept {
  out_.on_message_added(frames_.notice(what.handler, what.words, what.there, what.bytes));
  if (what.bytes > wire::most_eager_bytes) out_.flush();
}

void transfers::begin_flush() noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* self) noexcept {
    ucp_request_free(request);
    static_cast<transfers*>(self)->end_flush(status);
  };
  how.user_data = this;
  flush_counter_.begin();
  const ucs_status_ptr_t begun = ucp_ep_flush_nbx(ep_.handle(), &how);
  if (!UCS_PTR_IS_PTR(begun)) end_flush(UCS_PTR_STATUS(begun));
}

void transfers::end_flush(ucs_status_t status) noexcept {
  flush_counter_.end();
  if (status != UCS_OK) return pair_.fail("ucp_ep_flush_nbx", status);
  complete_puts();
  if (flush_counter_.is_due() && pair_.is_open()) begin_flush();
  forget_if_idle();
  peers_.note_credits_or_room();
}

}  // namespace am::detail::ucx
