#include "stand_ins.hpp"

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

void may_be_named(const arena* there) noexcept { named = there; }

std::vector<std::string> said() { return std::exchange(lines, {}); }

}  // namespace am_test::fuzz

namespace am::detail::base {

// One end is libam's own memory, the other what a message names.
copied copy_checked(void* to, const void* from, std::size_t bytes) noexcept {
  if (!am_test::fuzz::in_arena(to, bytes) && !am_test::fuzz::in_arena(from, bytes))
    return copied::bad_there;
  if (bytes != 0) std::memmove(to, from, bytes);
  return copied::all;
}
bool word_can_be_written(void* word) noexcept {
  return am_test::fuzz::in_arena(word, sizeof(std::uint64_t));
}
copied copy_to_process(pid_t, void*, const void*, std::size_t) noexcept {
  return copied::forbidden;
}
copied copy_from_process(pid_t, void*, const void*, std::size_t) noexcept {
  return copied::forbidden;
}

bool register_barrier() noexcept { return true; }
bool barrier_everyone() noexcept {
  if (am_test::fuzz::at_barrier) am_test::fuzz::at_barrier();
  return true;
}

void set_log(log_level, am_rank) noexcept {}
log_level log_limit() noexcept { return log_level::warn; }
void log_line(log_level, std::string_view text) noexcept {
  am_test::fuzz::lines.emplace_back(text);
}

}  // namespace am::detail::base
