// This rank's segments: parts of the job's memory that it maps and that its peers may map too.
// Peers find them by the directory in its region.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <transports/shm/layout.hpp>

#include <map>

namespace am::detail::shm {

class segments {
 public:
  segments(base::shared_memory& memory, const layout& layout, am_rank rank) noexcept;
  ~segments();
  segments(const segments&) = delete;
  segments& operator=(const segments&) = delete;

  // Whole pages, all reserved. Null and the error's text if there is no room.
  void* create(std::size_t bytes) noexcept;
  void destroy(void* address) noexcept;

 private:
  struct part {
    std::size_t offset;
    std::size_t bytes;
    segment_entry* entry;
  };

  // False and the error's text: there can be none of that size.
  [[nodiscard]] bool check_size(std::size_t bytes) const noexcept;
  [[nodiscard]] std::size_t free_offset(std::size_t bytes) const noexcept;
  void write(segment_entry& entry, const void* address, const part& where) noexcept;

  base::shared_memory& memory_;
  segment_directory& directory_;
  const std::size_t first_;              // offset of this rank's room
  const std::size_t kept_for_messages_;  // bytes
  std::map<void*, part> own_parts_;
};

}  // namespace am::detail::shm
