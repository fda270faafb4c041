// The counters by rank and their names, in am-stats/1 and wherever else they are reported. Those of
// the whole endpoint (polls) are in statistics.cpp.
#pragma once

#include <am/am.h>
#include <libam/seam/inbox.hpp>

#include <cstdint>
#include <iterator>

namespace am::detail::core {

struct counter {
  const char* name;
  std::uint64_t am_traffic::*value;
};
inline constexpr counter counters[] = {{"requests", &am_traffic::requests},
                                       {"mediums", &am_traffic::mediums},
                                       {"medium_bytes", &am_traffic::medium_bytes},
                                       {"stores", &am_traffic::stores},
                                       {"store_bytes", &am_traffic::store_bytes},
                                       {"gets", &am_traffic::gets},
                                       {"get_bytes", &am_traffic::get_bytes},
                                       {"atomics", &am_traffic::atomics},
                                       {"answers", &am_traffic::answers},
                                       {"handled", &am_traffic::handled},
                                       {"handled_bytes", &am_traffic::handled_bytes},
                                       {"waits", &am_traffic::waits},
                                       {"answer_bytes", &am_traffic::answer_bytes}};
static_assert(sizeof(am_traffic) == std::size(counters) * sizeof(std::uint64_t));

// Sets the counters of what has come from a rank; the others are kept where messages are sent.
inline void set_received(am_traffic& to, const seam::inbox::receive_counts& from) noexcept {
  to.answers = from.answers;
  to.answer_bytes = from.answer_bytes;
  to.handled = from.requests;
  to.handled_bytes = from.bytes;
}

}  // namespace am::detail::core
