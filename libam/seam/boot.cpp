#include <libam/seam/boot.hpp>

#include <libam/base/error.hpp>

#include <algorithm>

namespace am::detail::seam {

am_status check_put(std::string_view key, std::span<const std::byte> blob, std::size_t pending) {
  if (key.size() > most_key_bytes)
    return base::fail(AM_ARGUMENT_SIZE, "put: a key of {} bytes; it may have {}", key.size(),
                      most_key_bytes);
  const std::size_t already = pending + key.size();
  const std::size_t total = already + std::min(blob.size(), SIZE_MAX - already);
  if (total > most_fence_bytes)
    return base::fail(AM_ARGUMENT_SIZE, "put: {} bytes before one fence; {} may be put", total,
                      most_fence_bytes);
  return AM_OK;
}

}  // namespace am::detail::seam
