// One sparse piece of memory that the ranks of a host map: an address range over a memfd, or over
// an unnamed file where there is none. Nothing in it may be accessed before reserve() has made sure
// that pages exist, so that a full machine is an error here, and neither a SIGBUS later nor the end
// of a process whose control group has no more.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/base/memory_limit.hpp>

#include <cstddef>
#include <string>

namespace am::detail::base {

// The folder for files that are to stay in memory.
inline constexpr const char* default_folder = "/dev/shm";

class shared_memory {
 public:
  shared_memory() noexcept = default;
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;
  ~shared_memory();

  // New unnamed memory, empty, close-on-exec: a memfd, or, with a line of level info, a file in
  // `folder`.
  static am_status create(fd& memory, const std::string& folder = default_folder);

  // Grows the memory to `total_bytes` (0: to `bytes`), seals its size, checks it and maps the first
  // `bytes`. Every rank calls this with the same sizes; one that finds another size fails with both
  // in the error. Where files may not be as large as `total_bytes`, the memory has `bytes`. The
  // child of a fork does not inherit the mapping, and a core dump does not include it.
  am_status map(fd memory, std::size_t bytes, std::size_t total_bytes = 0);

  // Maps another part, of whole pages; the caller unmaps it. Null: no address space is left.
  [[nodiscard]] std::byte* map_part(std::size_t offset, std::size_t bytes) const noexcept;

  // The same mapping for a rank that is another thread of this process (in tests). `viewed` must
  // outlive it.
  am_status view(const shared_memory& viewed);

  // Makes sure that the pages under [offset, offset + bytes) exist; resource(space) if not.
  am_status reserve(std::size_t offset, std::size_t bytes) noexcept;
  // The bytes that may still be reserved, as far as that is known.
  [[nodiscard]] std::size_t available() const noexcept;
  // Frees pages; their bytes are zero from now on.
  void release(std::size_t offset, std::size_t bytes) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t total_bytes() const noexcept { return total_bytes_; }

 private:
  fd memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t total_bytes_ = 0;
  bool is_view_ = false;
  memory_limit limit_;
};

}  // namespace am::detail::base
