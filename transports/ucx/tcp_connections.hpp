// The descriptors that UCX opens after it has started, and which of them are connections through
// TCP. UCX does not name them, nor make them close-on-exec, and it accepts connections in a thread
// of its own. But it waits for all of them with epoll, and the kernel lists what is in an epoll
// set.
#pragma once

#include <libam/packed/address.hpp>

#include <span>
#include <vector>

namespace am::detail::ucx {

struct tcp_connection {
  int socket;
  packed::address near;
  packed::address far;
  friend bool operator==(const tcp_connection&, const tcp_connection&) = default;
};

class tcp_connections {
 public:
  // Among `opened`, what UCX has opened while it started, are its epoll sets.
  explicit tcp_connections(std::span<const int> opened);

  // Those that are established. Makes all that is in the sets close-on-exec.
  [[nodiscard]] std::vector<tcp_connection> find() const;

 private:
  std::vector<int> epoll_sets_;
};

// The addresses of those of `descriptors` that are sockets for TCP and listen.
std::vector<packed::address> listening_addresses(std::span<const int> descriptors);

}  // namespace am::detail::ucx
