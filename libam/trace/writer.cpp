#include <libam/trace/writer.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/sigxfsz_blocker.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace am::detail::trace {

namespace {

// On a full disk a store into a mapping would end the process, so blocks are taken before. A signal
// may interrupt that.
int take_blocks(int file, std::uint64_t bytes) noexcept {
  const base::sigxfsz_blocker no_sigxfsz;
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  return error;
}

// False: not all of it was written.
bool write_at(int file, std::uint64_t at, const std::byte* from, std::uint64_t bytes) noexcept {
  const base::sigxfsz_blocker no_sigxfsz;
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file, from, bytes, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    at += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::uint64_t>(written);
  }
  return true;
}

am_status fail(const std::string& folder, int error) {
  return base::fail(AM_ARGUMENT_SETTING, "AM_TRACE={}: {}", folder, base::errno_text(error));
}

// A new file: those of other jobs, and of other endpoints of this process, may be in use.
base::fd make_file(const std::string& folder, am_rank rank) {
  constexpr int most = 1000;
  const std::string name = base::format("{}/rank-{}.{}", folder, rank, ::getpid());
  for (int i = 0; i < most; ++i) {
    const std::string full = name + (i == 0 ? "" : base::format(".{}", i)) + ".amtrace";
    base::fd made(::open(full.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (made.valid() || errno != EEXIST) return made;
  }
  return {};
}

// The words of its command line.
void read_program(char (&to)[256]) noexcept {
  const base::fd from(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = from.valid() ? ::read(from.get(), to, sizeof to - 1) : 0;
  for (ssize_t i = 0; i + 1 < bytes; ++i)
    if (to[i] == '\0') to[i] = ' ';
}

}  // namespace

am_status writer::open(const std::string& folder, const identity& of, std::uint64_t most_bytes) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return fail(folder, errno);
  file_ = make_file(folder, of.rank);
  if (!file_.valid()) return fail(folder, errno);
  if (const int error = take_blocks(file_.get(), windows_end); error != 0)
    return fail(folder, error);
  void* const mapped = ::mmap(nullptr, windows_end, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_POPULATE, file_.get(), 0);
  if (mapped == MAP_FAILED) return fail(folder, errno);
  header_ = static_cast<header*>(mapped);
  header& to = *header_;
  to.host = of.host;
  to.rank = of.rank;
  to.ranks = of.ranks;
  to.dilation = of.dilation;
  to.pid = static_cast<std::uint32_t>(::getpid());
  to.has_counter = clock_.has_counter() ? 1 : 0;
  to.first = to.last[0] = clock_.both();
  to.wall_ns = clock::ns_of(CLOCK_REALTIME);
  (void)::gethostname(to.host_name, sizeof to.host_name - 1);
  read_program(to.program);
  to.magic = trace::magic;
  most_bytes_ = most_bytes;
  use_window();
  return AM_OK;
}

void writer::use_window() noexcept {
  std::byte* const file = reinterpret_cast<std::byte*>(header_);
  next_ = reinterpret_cast<record*>(file + window_at(header_->left));
  end_ = next_ + window_bytes / sizeof(record);
}

// The window is full. A process that is killed on the way leaves a file with all records once: the
// other window, whose records have left long ago, is empty before `left` says that it is in use.
bool writer::change_window() noexcept {
  if (header_ == nullptr) return false;
  const std::uint64_t start = now();
  const std::uint64_t left = header_->left, at = windows_end + left;
  std::byte* const file = reinterpret_cast<std::byte*>(header_);
  if (at + window_bytes > most_bytes_ ||
      !write_at(file_.get(), at, file + window_at(left), window_bytes)) {
    most_bytes_ = 0;  // not even if there is room again: a trace has no holes
    ++header_->lost;
    return false;
  }
  std::memset(file + window_at(left + window_bytes), 0, window_bytes);
  // SYNC(left): with copy_window of am-trace, which copies again if this changes beside it. What is
  // written from now on, as the zeros of the next change, stays behind this.
  std::atomic_ref(header_->left).exchange(left + window_bytes, std::memory_order_acq_rel);
  use_window();
  set_last();
  add({kind::pause, start});
  return true;
}

// A reader, or the end of the process, between two stores finds the moment before whole.
void writer::set_last() noexcept {
  const std::uint64_t next = 1 - header_->which_last;
  header_->last[next] = clock_.both();
  // SYNC(which_last): with copy_window of am-trace.
  std::atomic_ref(header_->which_last).store(next, std::memory_order_release);
}

void writer::note_time(std::uint64_t now) noexcept {
  constexpr std::uint64_t long_ago = std::uint64_t{1} << 24;  // ticks: some milliseconds
  if (header_ != nullptr && now - header_->last[header_->which_last].ticks > long_ago) set_last();
}

// Names are for people: one that finds no room in this window goes into the next one, and the rest
// of this one is filled with pauses that take no time.
void writer::add_name(name_of what, std::uint32_t number, std::string_view text) noexcept {
  text = text.substr(0, longest_name);
  const auto needed = static_cast<std::ptrdiff_t>(1 + records_of_text(text.size()));
  if (end_ - next_ < needed)
    while (next_ != end_) add({kind::pause, now()});
  if (next_ == end_ && !change_window()) return;
  record& to = *next_;
  std::memcpy(next_ + 1, text.data(), text.size());
  next_ += needed;
  to.begin = now();
  to.peer = static_cast<std::uint32_t>(what);
  to.handler = number;
  to.bytes = static_cast<std::uint32_t>(text.size());
  finish(to, kind::name, 0);
}

std::uint32_t writer::number_of(name_of what, std::string_view name) noexcept {
  constexpr std::size_t most_names = 4096;
  std::vector<std::string>& known = names_[static_cast<unsigned>(what)];
  const auto found = std::ranges::find(known, name);
  const auto number = static_cast<std::uint32_t>(found - known.begin());
  if (found != known.end() || number == most_names) return number;
  try {
    known.emplace_back(name);
  } catch (const std::bad_alloc&) {
    return most_names;  // it has no name
  }
  add_name(what, number, name);
  return number;
}

// What was not used stays as zeros: somebody may be reading the file through a mapping.
void writer::close() noexcept {
  if (header_ == nullptr) return;
  set_last();
  header_->ended = 1;
  abandon();
}

void writer::abandon() noexcept {
  if (header_ != nullptr) (void)::munmap(header_, windows_end);
  header_ = nullptr;
  next_ = end_ = nullptr;
  file_ = {};
}

}  // namespace am::detail::trace
