#include <libam/face/guard.hpp>

namespace am::detail::face {

am_status null_argument(const char* call, const char* name, const char* what) noexcept {
  return base::fail(AM_ARGUMENT_ADDRESS, "{}: {} is null (0x0): it must be the address of {}", call,
                    name, what);
}

am_status check_structure(const char* call, const char* name, const void* to, std::size_t bytes,
                          std::size_t own_bytes) noexcept {
  constexpr std::size_t most = 4096;
  if (to == nullptr) return null_argument(call, name, "the structure to be filled");
  if (bytes != 0 && bytes <= most) return AM_OK;
  return base::fail(AM_ARGUMENT_SIZE,
                    "{}: {} of {} bytes: it may have 1 to {}; pass its sizeof, which is {} here",
                    call, name, bytes, most, own_bytes);
}

}  // namespace am::detail::face
