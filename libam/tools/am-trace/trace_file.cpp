#include <libam/tools/am-trace/trace_file.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace am::detail::traces {
namespace {

constexpr std::size_t most_ranks = 1U << 20U;

// A digit, but for damage.
constexpr unsigned version_of(std::uint64_t magic) noexcept {
  return static_cast<unsigned>(magic >> 56U) - '0';
}

// Of text that somebody else has written.
std::string legible(std::string_view text) {
  std::string out(text.substr(0, text.find('\0')));
  base::make_one_line(out);
  return out;
}

}  // namespace

trace_file::trace_file(const std::string& path) : path_(path) {
  const base::fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!file.valid() || ::fstat(file.get(), &found) != 0)
    throw std::runtime_error(base::format("{}: {}", path, base::errno_text(errno)));
  if (!S_ISREG(found.st_mode)) throw std::runtime_error(base::format("{} is no file", path));
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size < trace::header_bytes)
    throw std::runtime_error(base::format("{} is no trace: it has {} bytes, and a header takes {}",
                                          path, size, trace::header_bytes));
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED)
    throw std::runtime_error(base::format("{}: {}", path, base::errno_text(errno)));
  (void)::madvise(mapped, size, MADV_SEQUENTIAL);
  mapped_ = {static_cast<const std::byte*>(mapped), mapping{size}};
  std::memcpy(&header_, mapped_.get(), sizeof header_);
  constexpr std::uint64_t without_version = ~std::uint64_t{0} >> 8U;
  if (((header_.magic ^ trace::magic) & without_version) == 0 && header_.magic != trace::magic)
    throw std::runtime_error(
        base::format("{} is a trace of format {}, and this am-trace reads {}: use that of the "
                     "libam that wrote it",
                     path, version_of(header_.magic), version_of(trace::magic)));
  const bool sane = header_.magic == trace::magic && header_.ranks <= most_ranks &&
                    header_.rank < header_.ranks && header_.which_last < 2;
  if (!sane) throw std::runtime_error(base::format("{} is no trace, or damaged", path));
  header_.host_name[sizeof header_.host_name - 1] = '\0';
  header_.program[sizeof header_.program - 1] = '\0';
  if (header_.ended == 0) read_open_wait();
}

void trace_file::mapping::operator()(const std::byte* start) const noexcept {
  (void)::munmap(const_cast<std::byte*>(start), bytes);
}

const trace::record* trace_file::at(std::size_t position) const noexcept {
  if (position + sizeof(trace::record) > size()) return nullptr;
  const auto* const one = reinterpret_cast<const trace::record*>(mapped_.get() + position);
  // SYNC(record): with the release in writer::finish. A record without a kind is not whole.
  const std::uint64_t what =
      std::atomic_ref(const_cast<std::uint64_t&>(one->what)).load(std::memory_order_acquire);
  const std::uint64_t type = what >> trace::record::kind_shift;
  return type == 0 || type >= trace::kinds ? nullptr : one;
}

// SYNC(open_wait): with writer::set_wait. The call belongs to the wait if that is the same before
// and behind it, unless a wait within it began before the second load and ended before the third:
// then it is the call of that one. A rank that hangs has the right call.
void trace_file::read_open_wait() noexcept {
  const auto load = [&](std::size_t offset) {
    const std::byte* const at = mapped_.get() + offset;
    auto* const word = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(at));
    return std::atomic_ref(*word).load(std::memory_order_acquire);
  };
  const std::uint64_t begin = load(offsetof(trace::header, wait_begin));
  const std::uint64_t call = load(offsetof(trace::header, wait_call));
  if (begin == 0 || begin != load(offsetof(trace::header, wait_begin))) return;
  open_wait_.begin = begin;
  open_wait_.what = static_cast<std::uint64_t>(trace::kind::wait) << trace::record::kind_shift;
  open_wait_.handler = static_cast<std::uint32_t>(call);
}

void trace_file::rewind() noexcept {
  position_ = trace::header_bytes;
  released_ = 0;
  is_at_end_ = false;
}

const trace::record* trace_file::at_end() noexcept {
  if (open_wait_.what == 0 || std::exchange(is_at_end_, true)) return nullptr;
  const std::uint64_t end = std::max({open_wait_.begin, last_end_, last_moment().ticks});
  const auto wait = static_cast<std::uint64_t>(trace::kind::wait) << trace::record::kind_shift;
  open_wait_.what = wait | std::min(end - open_wait_.begin, trace::record::longest);
  return &open_wait_;
}

void trace_file::read_name(const trace::record& one) {
  const std::size_t behind = position_ + sizeof(trace::record);
  const std::size_t bytes = std::min<std::size_t>(one.bytes, size() - behind);
  const std::string_view text(reinterpret_cast<const char*>(mapped_.get() + behind), bytes);
  names_[{one.peer, one.handler}] = legible(text);
  position_ += sizeof(trace::record) * trace::records_of_text(one.bytes);
}

// A record that is still read comes back from the file.
void trace_file::release_read() noexcept {
  constexpr std::size_t piece = 256 * 1024;
  if (std::min(position_, size()) < released_ + 2 * piece) return;
  (void)::madvise(const_cast<std::byte*>(mapped_.get()) + released_, piece, MADV_DONTNEED);
  released_ += piece;
}

const trace::record* trace_file::next() {
  release_read();
  for (;;) {
    const trace::record* const one = at(position_);
    if (one == nullptr) return at_end();
    if (one->type() == trace::kind::name) read_name(*one);
    position_ += sizeof(trace::record);
    if (one->type() == trace::kind::name) continue;
    last_end_ = std::max(last_end_, one->end());
    return one;
  }
}

std::string_view trace_file::name(trace::name_of what, std::uint32_t number) const {
  const auto found = names_.find({static_cast<std::uint32_t>(what), number});
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace am::detail::traces
