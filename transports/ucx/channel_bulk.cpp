// Bulk data into and out of the peer's segments. Where UCX has such memory mapped here, a copy does
// it. Elsewhere a store is a put, a flush, and then the notice: between a put and a message UCX
// keeps no order. Stores that follow each other share a flush.
#include <libam/base/format.hpp>
#include <libam/wire/payload_room.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <cstring>
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

// What fits a message goes in one: it needs no flush.
seam::reach channel::put(void* where, const void* data, std::size_t bytes) noexcept {
  const ucp_rkey_h key = state_ == state::open ? theirs_.key_to(where, bytes, endpoint_) : nullptr;
  if (key == nullptr) return seam::reach::no_way;
  if (void* here = nullptr; is_mapped(key, where, here)) {
    std::memcpy(here, data, bytes);
    return seam::reach::done;
  }
  if (bytes <= wire::max_medium_bytes) return seam::reach::no_way;
  const ucp_request_param_t how = of_transfer("ucp_put_nbx");
  has_put_ = true;
  return begin(
      ucp_put_nbx(endpoint_, data, bytes, reinterpret_cast<std::uintptr_t>(where), key, &how));
}

seam::reach channel::get(const void* where, void* to, std::size_t bytes) noexcept {
  const ucp_rkey_h key = state_ == state::open ? theirs_.key_to(where, bytes, endpoint_) : nullptr;
  if (key == nullptr) return seam::reach::no_way;
  if (void* here = nullptr; is_mapped(key, where, here)) {
    std::memcpy(to, here, bytes);
    return seam::reach::done;
  }
  const ucp_request_param_t how = of_transfer("ucp_get_nbx");
  return begin(
      ucp_get_nbx(endpoint_, to, bytes, reinterpret_cast<std::uintptr_t>(where), key, &how));
}

ucp_request_param_t channel::of_transfer(const char* call) noexcept {
  transfer_ = {call};
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = [](void* request, ucs_status_t status, void* waiting) noexcept {
    ucp_request_free(request);
    auto& done = *static_cast<transfer*>(waiting);
    done.over = true;
    done.status = status;
  };
  how.user_data = &transfer_;
  return how;
}

seam::reach channel::begin(ucs_status_ptr_t begun) noexcept {
  transfers_ = true;
  transfer_.over = !UCS_PTR_IS_PTR(begun);
  if (transfer_.over) transfer_.status = UCS_PTR_STATUS(begun);
  return reached();
}

// Where the way is lost meanwhile UCX still has the bytes, until it says that it is done with them;
// then there is no other transfer, and the messages that go instead come back.
seam::reach channel::reached() noexcept {
  if (!transfer_.over && !buried_) {
    ways_.is_waited_for();
    return seam::reach::under_way;
  }
  transfers_ = false;
  settle();
  if (transfer_.over && transfer_.status != UCS_OK) fail(transfer_.call, transfer_.status);
  return state_ == state::open ? seam::reach::done : seam::reach::no_way;
}

void channel::forget(std::span<const std::byte> announcement) {
  to_forget_.emplace_back(announcement.begin(), announcement.end());
  settle();
}

void channel::settle() noexcept {
  if (to_forget_.empty() || transfers_ || has_put_ || flushes() || state_ != state::open) return;
  for (const std::vector<std::byte>& one : std::exchange(to_forget_, {})) {
    theirs_.forget(one);
    tell(kind::forgotten, one);
  }
}

// ---- notices ------------------------------------------------------------------------------------

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  if (has_put_ && !flushes()) begin_flush();
  if (notices_.empty() && !has_put_ && !flushes()) return notify(handler, words, where, bytes);
  // A flush that is under way began before this put.
  const std::uint64_t due = flushes_begun_ + (has_put_ ? 1 : 0);
  notices_.push_back({handler, {}, where, bytes, due});
  std::copy_n(words, AM_WORDS, notices_.back().words);
}

// Beside so many bytes a frame of its own costs nothing, and the peer can look at them while more
// are copied.
void channel::notify(std::uint32_t handler, const am_word* words, void* where,
                     std::size_t bytes) noexcept {
  packed::channel::send_bulk(handler, words, where, bytes);
  if (bytes > wire::max_medium_bytes) flush();
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
  while (!notices_.empty() && notices_.front().flush <= flushes_done_) {
    const notice one = notices_.front();
    notices_.pop_front();
    notify(one.handler, one.words, one.where, one.bytes);
  }
  if (has_put_ && state_ == state::open) begin_flush();
  settle();
  keeper_.has_news();
}

}  // namespace am::detail::ucx
