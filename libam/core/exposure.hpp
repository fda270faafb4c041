// What another process (am-info PID) may read of the endpoints of this one, without their help. A
// note in the file that libam is part of has the place of am_exposed_endpoints, so that it is found
// in every process, stripped, static or moved. Messages write nothing here.
#pragma once

#include <libam/seam/inbox.hpp>
#include <libam/seam/snapshot.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace am::detail::core {

// The call that this rank waits in. Times are of CLOCK_MONOTONIC.
struct wait_record {
  const char* call = nullptr;  // null: no call has waited for long
  am_rank peer = 0;
  bool has_peer = false;
  std::int64_t since = 0;
};

struct exposure {
  am_rank rank = 0;
  am_rank ranks = 0;
  const void* const* allowed_thread = nullptr;  // null there: handlers run
  const std::uint32_t* running = nullptr;
  const am_rank* source = nullptr;
  const std::uint64_t* polls = nullptr;
  const std::uint64_t* full_polls = nullptr;
  seam::inbox::entry* const* handlers = nullptr;
  const std::uint32_t* handler_count = nullptr;
  // By rank.
  const seam::snapshot* ports = nullptr;
  const seam::inbox::receive_counts* received = nullptr;
  const am_traffic* traffic = nullptr;
  wait_record current_wait;
};

struct exposed_endpoints {
  static constexpr std::size_t most = 16;  // of one process, at a time; more are not exposed
  char version[64];
  std::array<std::atomic<const exposure*>, most> endpoints;
};

void expose(const exposure& one) noexcept;
void hide(const exposure& one) noexcept;

}  // namespace am::detail::core
