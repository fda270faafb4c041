// The memory of one peer, as this rank can reach it without the peer's help: its segments, mapped
// here when they are first needed, and everything else by the kernel, if a test read shows that it
// does.
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
  remote_memory(base::shared_memory& memory, const layout& places, am_rank peer,
                base::bulk_way forced) noexcept;
  ~remote_memory();
  remote_memory(const remote_memory&) = delete;
  remote_memory& operator=(const remote_memory&) = delete;

  seam::reach put(void* there, const void* data, std::size_t bytes) noexcept;
  seam::reach get(const void* there, void* to, std::size_t bytes) noexcept;
  // Where these bytes of a segment stand here; null if they are in none, or may not be mapped.
  [[nodiscard]] std::byte* mapped(const void* there, std::size_t bytes) noexcept;
  // Its process is no more. False where that cannot be seen.
  [[nodiscard]] bool is_gone() const noexcept;
  // What there is to see of its process; empty if it cannot be told apart from others.
  [[nodiscard]] std::string about() const;

 private:
  static constexpr unsigned most_tries = 100;
  struct known {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t offset;
    std::byte* here;
  };

  void follow() noexcept;
  [[nodiscard]] bool in_its_room(const known& segment) const noexcept;
  [[nodiscard]] bool kernel_copies() noexcept;
  [[nodiscard]] bool is_its_process(pid_t pid) const noexcept;

  base::shared_memory& memory_;
  const segment_directory& directory_;
  const doorstep& theirs_;
  const am_rank peer_;
  const std::size_t first_;  // offset of the peer's room for segments
  const base::bulk_way forced_;
  std::uint32_t version_ = 0;
  std::vector<known> known_;
  std::size_t last_ = 0;  // where the last bytes were found
  enum class kernel { untried, copies, refuses } kernel_ = kernel::untried;
  pid_t pid_ = 0;  // the process that has passed the test read
};

}  // namespace am::detail::shm
