// Memory of this rank that others reach directly, where a transport can do that.
#pragma once

#include <libam/core/transport_set.hpp>

#include <cstddef>
#include <vector>

namespace am::detail::core {

class segments {
 public:
  explicit segments(transport_set& transports) noexcept : transports_(transports) {}

  am_status make(std::size_t bytes, void** address);
  void free(void* address) noexcept;
  // Is all of it in one of them?
  [[nodiscard]] bool contains(const void* where, std::size_t bytes) const noexcept;
  // Copies bytes to an address that another rank has named. False: not all of it is mapped.
  [[nodiscard]] bool write(void* where, const void* data, std::size_t bytes) const noexcept;

  // True: it is in one of them, which stays until unpin(), even if the program frees it.
  [[nodiscard]] bool pin(const void* where, std::size_t bytes) noexcept;
  void unpin(const void* where) noexcept;

  // A segment is freed by the program, but peers have yet to learn of it, or some of it is pinned.
  [[nodiscard]] bool has_pending_free() const noexcept { return !pending_free_.empty(); }
  void finish_frees() noexcept;

  void release_all() noexcept;

 private:
  struct own_segment {
    std::byte* address;
    std::size_t bytes;
    std::size_t pins = 0;

    [[nodiscard]] bool has(const void* where, std::size_t size) const noexcept {
      const auto* at = static_cast<const std::byte*>(where);
      return at >= address && at <= address + bytes &&
             size <= static_cast<std::size_t>(address + bytes - at);
    }
  };

  void release_segment(const own_segment& one) noexcept;

  transport_set& transports_;
  std::vector<own_segment> all_;
  std::vector<own_segment> pending_free_;
};

}  // namespace am::detail::core
