#include "base_stubs.hpp"

#include "target.hpp"

#include <libam/base/checked_copy.hpp>
#include <libam/base/log.hpp>
#include <libam/base/membarrier.hpp>

#include <sys/mman.h>

#include <cstring>
#include <string_view>
#include <utility>

namespace am_test::fuzz {
namespace {

constexpr std::size_t guard = 1U << 16;
const arena* named = nullptr;
std::vector<std::string> lines;

bool in_arena(const void* where, std::size_t bytes) noexcept {
  if (named == nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(where);
  const auto first = reinterpret_cast<std::uintptr_t>(named->data());
  return at >= first && at - first <= named->size() && bytes <= named->size() - (at - first);
}

}  // namespace

std::function<void()> at_barrier;

arena::arena(std::size_t bytes)
    : whole_(static_cast<std::byte*>(::mmap(nullptr, bytes + 2 * guard, PROT_NONE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
      data_(whole_ + guard),
      bytes_(bytes) {
  AM_PROMISE(::mprotect(data_, bytes_, PROT_READ | PROT_WRITE) == 0);
}
arena::~arena() { ::munmap(whole_, bytes_ + 2 * guard); }

void set_reachable_arena(const arena* there) noexcept { named = there; }

std::vector<std::string> take_log_lines() { return std::exchange(lines, {}); }

}  // namespace am_test::fuzz

namespace am::detail::base {

// One end is libam's own memory, the other an address from a message.
copy_status copy_checked(void* to, const void* from, std::size_t bytes) noexcept {
  if (!am_test::fuzz::in_arena(to, bytes) && !am_test::fuzz::in_arena(from, bytes))
    return copy_status::bad_remote_address;
  if (bytes != 0) std::memmove(to, from, bytes);
  return copy_status::all;
}
bool is_word_writable(void* word) noexcept {
  return am_test::fuzz::in_arena(word, sizeof(std::uint64_t));
}
copy_status copy_to_process(pid_t, void*, const void*, std::size_t) noexcept {
  return copy_status::forbidden;
}
copy_status copy_from_process(pid_t, void*, const void*, std::size_t) noexcept {
  return copy_status::forbidden;
}

bool register_membarrier() noexcept { return true; }
bool issue_membarrier() noexcept {
  if (am_test::fuzz::at_barrier) am_test::fuzz::at_barrier();
  return true;
}

void set_log(log_level, am_rank) noexcept {}
log_level log_limit() noexcept { return log_level::warn; }
void log_line(log_level, std::string_view text) noexcept {
  am_test::fuzz::lines.emplace_back(text);
}

}  // namespace am::detail::base
