// Memory of this rank that others reach directly where a transport can do that.
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
  // Lies all of it in one of them?
  [[nodiscard]] bool own(const void* where, std::size_t bytes) const noexcept;
  // Bytes to an address of this rank that another has named. False: not all of it is mapped.
  [[nodiscard]] bool write(void* where, const void* data, std::size_t bytes) const noexcept;

  // Freed by the program, but peers have yet to hear of it.
  [[nodiscard]] bool has_abandoned() const noexcept { return !abandoned_.empty(); }
  void free_abandoned() noexcept;

  void give_back_all() noexcept;

 private:
  struct own_segment {
    std::byte* address;
    std::size_t bytes;
  };

  void give_back(const own_segment& one) noexcept;

  transport_set& transports_;
  std::vector<own_segment> all_;
  std::vector<own_segment> abandoned_;
};

}  // namespace am::detail::core
