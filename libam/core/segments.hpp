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

  // True: it lies in one of them, which stays until the loan ends, though the program frees it.
  [[nodiscard]] bool lend(const void* where, std::size_t bytes) noexcept;
  void end_loan(const void* where) noexcept;

  // Freed by the program, but peers have yet to hear of it, or some of it is lent.
  [[nodiscard]] bool has_abandoned() const noexcept { return !abandoned_.empty(); }
  void free_abandoned() noexcept;

  void give_back_all() noexcept;

 private:
  struct own_segment {
    std::byte* address;
    std::size_t bytes;
    std::size_t loans = 0;

    [[nodiscard]] bool has(const void* where, std::size_t size) const noexcept {
      const auto* at = static_cast<const std::byte*>(where);
      return at >= address && at <= address + bytes &&
             size <= static_cast<std::size_t>(address + bytes - at);
    }
  };

  void give_back(const own_segment& one) noexcept;

  transport_set& transports_;
  std::vector<own_segment> all_;
  std::vector<own_segment> abandoned_;
};

}  // namespace am::detail::core
