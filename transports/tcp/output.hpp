// Frames on their way into a socket: what the system does not take at once is kept, in order.
#pragma once

#include <transports/tcp/line.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace am::detail::tcp {

class output {
 public:
  // Keeps `frame` behind what is kept already.
  void keep(std::span<const std::byte> frame);
  [[nodiscard]] std::size_t bytes() const noexcept { return kept_.size() - gone_; }
  [[nodiscard]] bool empty() const noexcept { return bytes() == 0; }

  // Sends what it can, first what is kept, then `frame`, and keeps the rest. The error that ended
  // the connection, or 0.
  int send(line& to, std::span<const std::byte> frame);

 private:
  std::vector<std::byte> kept_;
  std::size_t gone_ = 0;  // of its beginning
};

}  // namespace am::detail::tcp
