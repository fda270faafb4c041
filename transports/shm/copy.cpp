#include <transports/shm/copy.hpp>

#include <cstring>

namespace am::detail::shm {

void copy(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

}  // namespace am::detail::shm
