#include <libam/core/ways.hpp>

namespace am::detail::self {
seam::make_transport make;
}
namespace am::detail::shm {
seam::make_transport make;
}
namespace am::detail::core {

// The one place that knows transports by name; their headers stay their own.
std::span<const known_transport> known_transports() noexcept {
  static constexpr known_transport all[] = {
      {"self", &self::make}, {"shm", &shm::make}, {"ucx", nullptr, true}, {"tcp", nullptr}};
  return all;
}

}  // namespace am::detail::core
