// One sparse piece of memory that the ranks of a host map: an address range over a memfd. Nothing
// in it may be touched before reserve() has made sure that pages exist, so that a full machine is
// an error here and never a SIGBUS later.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

#include <cstddef>

namespace am::detail::base {

class shared_memory {
 public:
  shared_memory() noexcept = default;
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;
  ~shared_memory();

  // A fresh memfd without a name, empty, close-on-exec.
  static am_status create(fd& memory);

  // Brings the memfd to `bytes`, seals its size, checks it and maps it. Every rank calls this with
  // the same size; one that finds another size fails with both. The child of a fork gets no
  // mapping.
  am_status map(fd memory, std::size_t bytes);

  // The same mapping once more, for a rank that is another thread of this process (in tests). The
  // one that it is a view of must outlive it.
  am_status view(const shared_memory& whole);

  // Makes sure that the pages under [offset, offset + bytes) exist; resource(space) if not.
  am_status reserve(std::size_t offset, std::size_t bytes) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  fd memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_view_ = false;
};

}  // namespace am::detail::base
