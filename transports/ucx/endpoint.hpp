// UCX's endpoint to one peer, from first contact until it is closed. It knows how the peer is
// reached, and nothing of what goes there.
#pragma once

#include <transports/ucx/engine.hpp>
#include <transports/ucx/standing.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace am::detail::ucx {

class endpoint {
 public:
  // A failure that UCX tells of ends this pair.
  endpoint(engine& ucx, standing& pair) noexcept : ucx_(ucx), pair_(pair) {}

  // Towards the worker of this address; false and UCX's line if there is no way. `here`: on this
  // host, so that no failure of the way need be told and every way of UCX may serve.
  bool reach_out(std::span<const std::byte> address, bool here, std::string& why);
  [[nodiscard]] bool exists() const noexcept { return endpoint_ != nullptr; }
  [[nodiscard]] ucp_ep_h handle() const noexcept { return endpoint_; }
  // Begins to close it, behind all that was sent. Null, or what to wait for.
  ucs_status_ptr_t close() noexcept;

  // The ways that UCX takes: "posix/memory, cma/memory".
  [[nodiscard]] std::string names_of_ways() const;

 private:
  engine& ucx_;
  standing& pair_;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace am::detail::ucx
