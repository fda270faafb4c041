// Peers to which the connection is lost, and which have yet to be notified.
#pragma once

#include <transports/ucx/channel.hpp>

#include <utility>
#include <vector>

namespace am::detail::ucx {

class lost_peers {
 public:
  void add(channel& one) { all_.push_back(&one); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  // Over an endpoint that UCX has not closed. Where it has, UCX notifies the peer.
  void notify_peers() noexcept {
    for (channel* one : std::exchange(all_, {})) {
      const std::string& why = one->pair.why_lost();
      if (one->ep.exists()) one->out.send_control(kind::lost, std::as_bytes(std::span(why)));
    }
  }

 private:
  std::vector<channel*> all_;
};

}  // namespace am::detail::ucx
