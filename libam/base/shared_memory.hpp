// One sparse piece of memory that the ranks of a host map: an address range over a memfd, or over a
// file without a name where there is none. Nothing in it may be touched before reserve() has made
// sure that pages exist, so that a full machine is an error here, and neither a SIGBUS later nor
// the end of a process whose control group has no more.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/base/memory_limit.hpp>

#include <cstddef>
#include <string>

namespace am::detail::base {

// Where files are made that are to stay in memory.
inline constexpr const char* usual_folder = "/dev/shm";

class shared_memory {
 public:
  shared_memory() noexcept = default;
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;
  ~shared_memory();

  // Fresh memory without a name, empty, close-on-exec: a memfd, or, with a line of level info, a
  // file in `folder`.
  static am_status create(fd& memory, const std::string& folder = usual_folder);

  // Brings the memory to `whole` bytes (0: no more than are mapped), seals its size, checks it and
  // maps the first `bytes`. Every rank calls this with the same sizes; one that finds another size
  // fails with both. Where files may not be as large as `whole`, it has `bytes` and no more. The
  // child of a fork gets no mapping, and a core dump has none.
  am_status map(fd memory, std::size_t bytes, std::size_t whole = 0);

  // Maps another part, page by page; the caller unmaps it. Null: no address space is left.
  [[nodiscard]] std::byte* map_part(std::size_t offset, std::size_t bytes) const noexcept;

  // The same mapping once more, for a rank that is another thread of this process (in tests). The
  // one that it is a view of must outlive it.
  am_status view(const shared_memory& whole);

  // Makes sure that the pages under [offset, offset + bytes) exist; resource(space) if not.
  am_status reserve(std::size_t offset, std::size_t bytes) noexcept;
  // So many bytes may still be reserved, as far as that is known.
  [[nodiscard]] std::size_t room() const noexcept;
  // Gives pages back; what stood there is zero from now on.
  void release(std::size_t offset, std::size_t bytes) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t whole() const noexcept { return whole_; }

 private:
  fd memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t whole_ = 0;
  bool is_view_ = false;
  memory_limit limit_;
};

}  // namespace am::detail::base
