#include <libam/core/ways.hpp>

namespace am::detail::self {
seam::make_transport make;
}
namespace am::detail::shm {
seam::make_transport make;
}
namespace am::detail::core {

// The one place that knows transports by name; their headers stay their own.
std::span<const built_in> built_in_transports() noexcept {
  static constexpr built_in all[] = {{"self", &self::make}, {"shm", &shm::make}};
  return all;
}

}  // namespace am::detail::core
