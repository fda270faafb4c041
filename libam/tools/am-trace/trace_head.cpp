#include <libam/tools/am-trace/trace_head.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace am::detail::traces {
namespace {

constexpr std::size_t most_ranks = 1U << 20U;

std::uint64_t load(const std::uint64_t& word, std::memory_order order) noexcept {
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(order);
}

std::size_t size_of(const base::fd& file, const std::string& path) {
  struct stat found {};
  if (!file.valid() || ::fstat(file.get(), &found) != 0)
    throw std::runtime_error(base::format("{}: {}", path, base::errno_text(errno)));
  if (!S_ISREG(found.st_mode)) throw std::runtime_error(base::format("{} is no file", path));
  return static_cast<std::size_t>(found.st_size);
}

// A digit, but for damage.
constexpr unsigned version_of(std::uint64_t magic) noexcept {
  return static_cast<unsigned>(magic >> 56U) - '0';
}

void check(const trace::header& header, const std::string& path) {
  constexpr std::uint64_t without_version = ~std::uint64_t{0} >> 8U;
  if (((header.magic ^ trace::magic) & without_version) == 0 && header.magic != trace::magic)
    throw std::runtime_error(
        base::format("{} is a trace of format {}, and this am-trace reads {}: use that of the "
                     "libam that wrote it",
                     path, version_of(header.magic), version_of(trace::magic)));
  const bool sane = header.magic == trace::magic && header.ranks <= most_ranks &&
                    header.rank < header.ranks && header.which_last < 2 &&
                    header.left % sizeof(trace::record) == 0;
  if (!sane) throw std::runtime_error(base::format("{} is no trace, or damaged", path));
}

// Word by word, each in front of what is read later.
void copy_records(std::vector<trace::record>& to, const std::uint64_t* from) {
  constexpr std::size_t words = sizeof(trace::record) / sizeof *from;
  constexpr std::size_t what = offsetof(trace::record, what) / sizeof *from;
  for (trace::record& one : to) {
    std::array<std::uint64_t, words> copy;
    // SYNC(record): with the release in writer::finish. A record without a kind is not whole.
    copy[what] = load(from[what], std::memory_order_acquire);
    for (std::size_t i = 0; i < words; ++i)
      if (i != what) copy[i] = load(from[i], std::memory_order_acquire);
    one = std::bit_cast<trace::record>(copy);
    from += words;
  }
}

bool is_empty(const trace::record& one) noexcept {
  constexpr trace::record empty{};
  return std::memcmp(&one, &empty, sizeof one) == 0;
}

// A window is emptied behind a store of `left`, so it was whole if `left` has not changed beside
// the copy. A rank needs longer to fill a window than this takes to copy one.
void copy_window(trace_head& to, const std::byte* file) {
  constexpr int attempts = 1000;
  const auto& shown = *reinterpret_cast<const trace::header*>(file);
  to.window.resize(trace::window_bytes / sizeof(trace::record));
  for (int i = 0; i < attempts; ++i) {
    // SYNC(left): with writer::change_window. SYNC(which_last): with writer::set_last.
    to.header.left = load(shown.left, std::memory_order_acquire);
    to.header.which_last = load(shown.which_last, std::memory_order_acquire) % 2;
    to.header.last[to.header.which_last] = shown.last[to.header.which_last];
    const std::byte* const window = file + trace::window_at(to.header.left);
    copy_records(to.window, reinterpret_cast<const std::uint64_t*>(window));
    if (load(shown.left, std::memory_order_relaxed) != to.header.left) continue;
    while (!to.window.empty() && is_empty(to.window.back())) to.window.pop_back();
    to.window.shrink_to_fit();
    return;
  }
  to.window.clear();
}

// SYNC(open_wait): with writer::set_wait. The call belongs to the wait if that is the same before
// and behind it, unless a wait within it began before the second load and ended before the third:
// then it is the call of that one. A rank that hangs has the right call.
void copy_open_wait(trace_head& to, const std::byte* file) noexcept {
  const auto& shown = *reinterpret_cast<const trace::header*>(file);
  constexpr auto order = std::memory_order_acquire;
  const std::uint64_t begin = load(shown.wait_begin, order);
  const std::uint64_t call = load(shown.wait_call, order);
  if (begin == 0 || begin != load(shown.wait_begin, order)) return;
  to.open_wait.begin = begin;
  to.open_wait.what = static_cast<std::uint64_t>(trace::kind::wait) << trace::record::kind_shift;
  to.open_wait.handler = static_cast<std::uint32_t>(call);
}

}  // namespace

void unmapping::operator()(const std::byte* start) const noexcept {
  (void)::munmap(const_cast<std::byte*>(start), bytes);
}

mapping map_file(const base::fd& file, const std::string& path, std::size_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED)
    throw std::runtime_error(base::format("{}: {}", path, base::errno_text(errno)));
  return {static_cast<const std::byte*>(mapped), unmapping{bytes}};
}

trace_head read_head(const base::fd& file, const std::string& path) {
  const std::size_t size = size_of(file, path);
  const auto refuse = [&](const char* what, std::size_t needed) {
    throw std::runtime_error(
        base::format("{} is no trace: it has {} bytes, and {} takes {}", path, size, what, needed));
  };
  if (size < trace::header_bytes) refuse("a header", trace::header_bytes);
  trace_head out;
  std::memcpy(&out.header, map_file(file, path, trace::header_bytes).get(), sizeof out.header);
  check(out.header, path);
  if (size < trace::windows_end) refuse("one with its windows", trace::windows_end);
  const mapping mapped = map_file(file, path, trace::windows_end);
  if (out.header.ended == 0) copy_open_wait(out, mapped.get());
  copy_window(out, mapped.get());
  // By then what has left is in the file, unless that was cut.
  out.left_there =
      std::min<std::uint64_t>(size_of(file, path) - trace::windows_end, out.header.left);
  if (out.left_there < out.header.left) out.window.clear();  // behind a hole
  out.header.host_name[sizeof out.header.host_name - 1] = '\0';
  out.header.program[sizeof out.header.program - 1] = '\0';
  return out;
}

}  // namespace am::detail::traces
