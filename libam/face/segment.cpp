// am.h: segments.
#include <libam/face/guard.hpp>

#include <memory>
#include <vector>

using am::detail::core::endpoint;
using am::detail::face::guarded;
using am::detail::face::guarded_at;
namespace base = am::detail::base;

struct am_seg {
  endpoint* ep;
  void* address;
  std::size_t bytes;
  std::vector<am_word> everywhere;  // by rank, if all made one
};

extern "C" {

am_status am_seg_create(am_ep* ep, size_t bytes, am_seg** seg) {
  return guarded_at(ep, [&](endpoint& self) {
    auto made = std::make_unique<am_seg>(am_seg{&self, nullptr, bytes, {}});
    const am_status status = self.make_segment(bytes, &made->address);
    if (status == AM_OK) *seg = made.release();
    return status;
  });
}

am_status am_seg_create_all(am_ep* ep, size_t bytes, am_seg** seg) {
  return guarded_at(ep, [&](endpoint& self) {
    auto made = std::make_unique<am_seg>(am_seg{&self, nullptr, bytes, {}});
    if (!self.in_order()) return self.refuse("segment of all");
    const am_status mine = self.make_segment(bytes, &made->address);
    const auto word = reinterpret_cast<std::uintptr_t>(made->address);
    const am_status status = self.tell_all(word, mine, made->everywhere);
    if (status == AM_OK)
      *seg = made.release();
    else
      self.free_segment(made->address);
    return status;
  });
}

void* am_seg_address(const am_seg* seg) { return seg->address; }

void* am_seg_address_at(const am_seg* seg, am_rank rank) {
  if (rank < seg->everywhere.size()) return reinterpret_cast<void*>(seg->everywhere[rank]);
  return rank == seg->ep->rank() ? seg->address : nullptr;
}

size_t am_seg_bytes(const am_seg* seg) { return seg->bytes; }

void am_seg_destroy(am_seg* seg) {
  if (seg == nullptr) return;
  seg->ep->free_segment(seg->address);
  delete seg;
}

}  // extern "C"
