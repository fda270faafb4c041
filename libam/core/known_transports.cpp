#include <libam/core/known_transports.hpp>

namespace am::detail::self {
seam::make_transport_fn make;
}
namespace am::detail::shm {
seam::make_transport_fn make;
}
namespace am::detail::core {

// The one place that knows transports by name; it includes no header of theirs.
std::span<const known_transport> known_transports() noexcept {
  static constexpr known_transport all[] = {
      {"self", &self::make},
      {"shm", &shm::make},
      {.name = "ucx", .make = nullptr, .for_networks = true, .may_end_survivors = true},
      {"tcp", nullptr}};
  return all;
}

}  // namespace am::detail::core
