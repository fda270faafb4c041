#include <libam/base/shared_word.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>

namespace am::detail::base {

namespace {

constexpr std::uint64_t page = 4096;

}  // namespace

shared_word::shared_word(int memory, std::uint64_t offset) noexcept {
  struct stat found {};
  if (offset % sizeof(std::uint64_t) != 0 || ::fstat(memory, &found) != 0 ||
      offset >= static_cast<std::uint64_t>(found.st_size) ||
      ::fallocate(memory, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), sizeof(std::uint64_t)) !=
          0)
    return;
  const std::uint64_t first = offset / page * page;
  void* at =
      ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, memory, static_cast<off_t>(first));
  if (at == MAP_FAILED) return;
  page_ = static_cast<std::byte*>(at);
  word_ = reinterpret_cast<std::uint64_t*>(page_ + (offset - first));
}

shared_word::~shared_word() {
  if (page_ != nullptr) ::munmap(page_, page);
}

void shared_word::set(std::uint64_t bits) noexcept {
  if (word_ == nullptr) return;
  // SYNC(exit_report): with the acquire in check_exit_reports. The dead rank's process has ended,
  // so all that it wrote is visible. SYNC(attention): with the acquire in poller::handle_signals.
  // The exit flag is set.
  std::atomic_ref<std::uint64_t>(*word_).fetch_or(bits, std::memory_order_release);
}

}  // namespace am::detail::base
