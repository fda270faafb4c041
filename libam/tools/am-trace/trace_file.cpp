#include <libam/tools/am-trace/trace_file.hpp>

#include <libam/base/fd.hpp>
#include <libam/base/text.hpp>

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace am::detail::traces {
namespace {

// Of text that somebody else has written.
std::string legible(std::string_view text) {
  std::string out(text.substr(0, text.find('\0')));
  base::make_one_line(out);
  return out;
}

// The text of a name whose own record is missing is not: no letter is a kind. Behind a name that
// claims more text than the writer gives one there would be other records.
bool is_known(const trace::record& one) noexcept {
  const std::uint64_t kind = one.what >> trace::record::kind_shift;
  if (kind == static_cast<std::uint64_t>(trace::kind::name))
    return one.bytes <= trace::longest_name;
  return kind != static_cast<std::uint64_t>(trace::kind::none) && kind < trace::kinds;
}

// A hole is zeros.
std::uint64_t count_holed_records(std::string_view text) {
  std::uint64_t out = 0;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(trace::record))))
    if (text.substr(0, sizeof(trace::record)).find('\0') != std::string_view::npos) ++out;
  return out;
}

}  // namespace

trace_file::trace_file(const std::string& path) : path_(path) {
  const base::fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  head_ = read_head(file, path);
  const std::size_t bytes = trace::windows_end + head_.left_there;
  mapped_ = map_file(file, path, bytes);
  (void)::madvise(const_cast<std::byte*>(mapped_.get()), bytes, MADV_SEQUENTIAL);
}

std::span<const std::byte> trace_file::bytes_from(std::size_t position) const noexcept {
  const std::size_t left = head_.left_there;
  if (position < left) return {mapped_.get() + trace::windows_end + position, left - position};
  const std::span window = std::as_bytes(std::span(head_.window));
  return window.subspan(std::min(position - left, window.size()));
}

const trace::record* trace_file::at(std::size_t position) const noexcept {
  const std::span<const std::byte> there = bytes_from(position);
  if (there.size() < sizeof(trace::record)) return nullptr;
  return reinterpret_cast<const trace::record*>(there.data());
}

void trace_file::rewind() noexcept {
  position_ = 0;
  unreadable_ = 0;
  released_ = 0;
  is_at_end_ = false;
}

const trace::record* trace_file::at_end() noexcept {
  if (head_.open_wait.what == 0 || std::exchange(is_at_end_, true)) return nullptr;
  const std::uint64_t end = std::max({head_.open_wait.begin, last_end_, last_moment().ticks});
  const auto wait = static_cast<std::uint64_t>(trace::kind::wait) << trace::record::kind_shift;
  head_.open_wait.what = wait | std::min(end - head_.open_wait.begin, trace::record::longest);
  return &head_.open_wait;
}

void trace_file::read_name(const trace::record& one) {
  const std::span<const std::byte> behind = bytes_from(position_ + sizeof(trace::record));
  const std::string_view text(reinterpret_cast<const char*>(behind.data()),
                              std::min<std::size_t>(one.bytes, behind.size()));
  names_[{one.peer, one.handler}] = legible(text);
  unreadable_ += count_holed_records(text);
  position_ += sizeof(trace::record) * trace::records_of_text(one.bytes);
}

// A record that is still read comes back from the file.
void trace_file::release_read() noexcept {
  constexpr std::size_t piece = 256 * 1024;
  const std::size_t reached = trace::windows_end + std::min(position_, head_.left_there);
  if (reached < released_ + 2 * piece) return;
  (void)::madvise(const_cast<std::byte*>(mapped_.get()) + released_, piece, MADV_DONTNEED);
  released_ += piece;
}

const trace::record* trace_file::next() {
  release_read();
  for (;;) {
    const trace::record* const one = at(position_);
    const bool has_kind = one != nullptr && is_known(*one);
    if (one == nullptr || (!has_kind && !is_written())) return at_end();
    const bool is_name = has_kind && one->type() == trace::kind::name;
    if (!has_kind) ++unreadable_;
    if (is_name) read_name(*one);
    position_ += sizeof(trace::record);
    if (!has_kind || is_name) continue;
    last_end_ = std::max(last_end_, one->end());
    return one;
  }
}

std::string_view trace_file::name(trace::name_of what, std::uint32_t number) const {
  const auto found = names_.find({static_cast<std::uint32_t>(what), number});
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace am::detail::traces
