// Peers to which the way is lost, and which have yet to be told so.
#pragma once

#include <transports/ucx/channel.hpp>

#include <utility>
#include <vector>

namespace am::detail::ucx {

class lost_peers {
 public:
  void add(channel& one) { all_.push_back(&one); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  // Over an endpoint that UCX has not given up. Where it has, UCX tells the peer.
  void tell() noexcept {
    for (channel* one : std::exchange(all_, {})) {
      const std::string& why = one->pair.why_lost();
      if (one->way.exists()) one->out.tell(kind::lost, std::as_bytes(std::span(why)));
    }
  }

 private:
  std::vector<channel*> all_;
};

}  // namespace am::detail::ucx
