// am.h: segments.
#include <libam/face/guard.hpp>

#include <memory>
#include <string>
#include <vector>

using am::detail::core::endpoint;
using am::detail::face::guarded_at;
using am::detail::face::null_argument;
namespace base = am::detail::base;

struct am_seg {
  endpoint* ep;
  void* address;
  std::size_t bytes;
  std::vector<am_word> addresses;  // by rank, if all ranks made one
};

namespace {

// Frees one that the caller does not get, with its memory, on every way out of the call.
struct destroy {
  void operator()(am_seg* seg) const noexcept { am_seg_destroy(seg); }
};
using own_seg = std::unique_ptr<am_seg, destroy>;

}  // namespace

extern "C" {

am_status am_seg_create(am_ep* ep, size_t bytes, am_seg** seg) {
  return guarded_at(ep, [&](endpoint& self) {
    if (seg == nullptr) return null_argument("am_seg_create", "seg", "an am_seg*");
    own_seg made(new am_seg{&self, nullptr, bytes, {}});
    const am_status status = self.bulk_calls().make_segment(bytes, &made->address);
    if (status == AM_OK) *seg = made.release();
    return status;
  });
}

am_status am_seg_create_all(am_ep* ep, size_t bytes, am_seg** seg) {
  return guarded_at(ep, [&](endpoint& self) {
    own_seg made(new am_seg{&self, nullptr, bytes, {}});
    am_status status = self.progress().check_fence_allowed("all_segments");
    if (status == AM_OK) status = self.bulk_calls().wait_for_frees();
    if (status != AM_OK) return status;
    const am_status mine = seg == nullptr ? null_argument("am_seg_create_all", "seg", "an am_seg*")
                                          : self.bulk_calls().make_segment(bytes, &made->address);
    const std::string why = base::error_text();  // handlers that run meanwhile may fail, too
    const auto word = reinterpret_cast<std::uintptr_t>(made->address);
    status = self.all_gather(word, mine, made->addresses);
    if (status == AM_OK) {    // at every rank, this one included
      *seg = made.release();  // NOLINT(clang-analyzer-core.NullDereference)
      return status;
    }
    return mine == AM_OK ? status : base::fail_with(mine, why);
  });
}

void* am_seg_address(const am_seg* seg) { return seg == nullptr ? nullptr : seg->address; }

void* am_seg_address_at(const am_seg* seg, am_rank rank) {
  if (seg == nullptr) return nullptr;
  if (rank < seg->addresses.size()) return reinterpret_cast<void*>(seg->addresses[rank]);
  return rank == seg->ep->peers().rank() ? seg->address : nullptr;
}

size_t am_seg_bytes(const am_seg* seg) { return seg == nullptr ? 0 : seg->bytes; }

void am_seg_destroy(am_seg* seg) {
  if (seg == nullptr) return;
  if (seg->ep->dispatcher().is_owner_thread()) seg->ep->bulk().own_segments.free(seg->address);
  delete seg;
}

}  // extern "C"
