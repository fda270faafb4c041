// UCX's endpoint to one peer, from first contact until it is closed.
#pragma once

#include <transports/ucx/engine.hpp>
#include <transports/ucx/pair_state.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace am::detail::ucx {

class ucx_endpoint {
 public:
  // A failure that UCX reports ends this pair.
  ucx_endpoint(engine& ucx, pair_state& pair) noexcept : ucx_(ucx), pair_(pair) {}

  // To the worker of this address; false and UCX's line if there is no route. `same_host`: the
  // endpoint need not report failures, so all of UCX's transports can be used.
  bool create(std::span<const std::byte> address, bool same_host, std::string& why);
  [[nodiscard]] bool exists() const noexcept { return endpoint_ != nullptr; }
  [[nodiscard]] ucp_ep_h handle() const noexcept { return endpoint_; }
  // False: no lane puts and gets, so UCX would emulate that by messages of its own. A process that
  // UCX 1.13 finds unable to answer such a message, because the peer has died, it ends.
  [[nodiscard]] bool may_put_and_get() const noexcept { return may_put_and_get_; }
  // Begins to close it, behind all that was sent. The request to wait for, or null.
  ucs_status_ptr_t close() noexcept;

  // The lanes of the endpoint: "posix/memory, cma/memory".
  [[nodiscard]] std::string lane_names() const;

 private:
  [[nodiscard]] std::string description() const;

  engine& ucx_;
  pair_state& pair_;
  ucp_ep_h endpoint_ = nullptr;
  bool may_put_and_get_ = false;
};

}  // namespace am::detail::ucx
