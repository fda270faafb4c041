// The oldest request of a channel that is not answered for, told from what stands in the ring: by
// the requester itself, or by a process that reads its memory.
#pragma once

#include <transports/shm/ring.hpp>

namespace am::detail::shm {

// Where another process finds what it needs for that.
struct channel_view {
  const ring_writer* requests;
  const std::atomic<std::uint32_t>* begun;
};

struct oldest_request {
  const slot* where = nullptr;
  std::uint64_t control = 0;
  bool begun = false;
};

// Of the `count` youngest requests: the one that the target has begun last, for those before it
// were silent and are only not counted yet; or, if it has begun none of them, the oldest.
template <class ControlAt>
oldest_request find_oldest(const ring_writer& requests, std::uint32_t count, std::uint32_t begun,
                           ControlAt&& control_at) {
  oldest_request found;
  requests.look_back(count, control_at, [&](const slot* one, std::uint64_t control) {
    found = {one, control, requests.number_of(*one) + 1 == begun};
    return !found.begun;
  });
  return found;
}

}  // namespace am::detail::shm
