// Access to the memory of one peer without its help: its segments are mapped here when they are
// first needed; the kernel copies everything else, if a test read has succeeded.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/seam/transport.hpp>
#include <transports/shm/layout.hpp>

#include <sys/types.h>

#include <vector>

namespace am::detail::shm {

class remote_memory {
 public:
  remote_memory(base::shared_memory& memory, const layout& layout, am_rank peer,
                base::bulk_method method) noexcept;
  ~remote_memory();
  remote_memory(const remote_memory&) = delete;
  remote_memory& operator=(const remote_memory&) = delete;

  seam::transfer_status put(void* there, const void* data, std::size_t bytes) noexcept;
  seam::transfer_status get(const void* there, void* to, std::size_t bytes) noexcept;
  // The address of these bytes of a segment here; null if they are in none or may not be mapped.
  [[nodiscard]] std::byte* mapped(const void* there, std::size_t bytes) noexcept;
  // The peer's process has ended. False where that cannot be seen.
  [[nodiscard]] bool is_gone() const noexcept;
  // Process id and state of the peer; empty if its process cannot be identified.
  [[nodiscard]] std::string describe_process() const;

 private:
  static constexpr unsigned most_tries = 100;
  struct peer_segment {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t offset;
    std::byte* here;
  };

  void read_directory() noexcept;
  [[nodiscard]] bool in_segment_room(const peer_segment& segment) const noexcept;
  [[nodiscard]] bool can_kernel_copy() noexcept;
  [[nodiscard]] bool is_peer_process(pid_t pid) const noexcept;

  base::shared_memory& memory_;
  const segment_directory& directory_;
  const control_block& peer_block_;
  const am_rank peer_;
  const std::size_t first_;  // offset of the peer's room for segments
  const base::bulk_method method_;
  std::uint32_t version_ = 0;
  std::vector<peer_segment> known_segments_;
  std::size_t last_found_ = 0;  // the index of the segment of the last bytes
  enum class kernel_copy { untried, works, refused } kernel_copy_ = kernel_copy::untried;
  pid_t pid_ = 0;  // the process that has passed the test read
};

}  // namespace am::detail::shm
