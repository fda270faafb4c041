// The memory is sized and sealed before it is mapped: whoever holds it can then neither shrink it
// under us (SIGBUS) nor grow it. A file has no seals, but only the ranks of the job hold it.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/unnamed_file.hpp>
#include <libam/base/why.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace am::detail::base {
namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr std::size_t page = 4096;

bool can_be_sealed(int memory) noexcept {
  const int seals = ::fcntl(memory, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SEAL) == 0;
}

// One rank sizes the file and says what it found, however many look at it at once.
class sizing_turn {
 public:
  explicit sizing_turn(int file) noexcept : file_(file) { set(F_WRLCK); }
  ~sizing_turn() { set(F_UNLCK); }
  sizing_turn(const sizing_turn&) = delete;
  sizing_turn& operator=(const sizing_turn&) = delete;

 private:
  void set(short type) const noexcept {
    struct flock turn {};
    turn.l_type = type;
    turn.l_whence = SEEK_SET;
    while (::fcntl(file_, F_SETLKW, &turn) != 0 && errno == EINTR) continue;
  }
  int file_;
};

// `whole` bytes, or as many as are mapped where files may not be so large.
am_status size_first(int memory, std::size_t bytes, std::size_t whole) {
  // Past this limit the kernel would answer with a signal.
  rlimit file_size{};
  if (::getrlimit(RLIMIT_FSIZE, &file_size) != 0) file_size.rlim_cur = RLIM_INFINITY;
  if (file_size.rlim_cur < bytes)
    return fail(AM_RESOURCE_SPACE,
                "shared memory: the job needs {} bytes, but files may have at most {} here (raise "
                "`ulimit -f`)",
                bytes, file_size.rlim_cur);
  const auto grow = [&](std::size_t to) {
    return to <= file_size.rlim_cur &&
           (::ftruncate(memory, static_cast<off_t>(to)) == 0 || errno == EPERM);
  };
  if (grow(whole)) return AM_OK;
  if (whole != bytes && grow(bytes)) return AM_OK;
  return fail(AM_RESOURCE_SPACE, "shared memory: ftruncate to {} bytes: {}", bytes,
              std::strerror(errno));
}

am_status size_and_seal(int memory, std::size_t bytes, std::size_t& whole) {
  const sizing_turn turn{memory};
  struct stat found {};
  if (::fstat(memory, &found) != 0)
    return fail(AM_RESOURCE_DESCRIPTORS, "shared memory: fstat: {}", std::strerror(errno));
  const bool first = found.st_size == 0;
  if (first) {
    if (const am_status status = size_first(memory, bytes, whole); status != AM_OK) return status;
  }
  if (can_be_sealed(memory) && ::fcntl(memory, F_ADD_SEALS, size_seals) != 0)
    return fail(AM_RESOURCE_MEMORY, "shared memory: cannot seal its size: {}",
                std::strerror(errno));
  ::fstat(memory, &found);
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size != whole && size != bytes)
    return fail(AM_ARGUMENT_SETTING,
                "shared memory: another rank made it {} bytes and this one needs {}: do all ranks "
                "have the same AM_SHM_SLOTS and AM_MAX_MEDIUM, and the same libam?",
                size, whole);
  if (first && size != whole)
    log(log_level::info,
        "shared memory: files may not have {} bytes here (see `ulimit -f`): there will be no "
        "segments",
        whole);
  whole = size;
  return AM_OK;
}

// Older kernels let a signal end the call, and give back all that it had taken. A call that is
// smaller comes to its end before the next signal. False with errno.
bool take_pages(int memory, std::size_t from, std::size_t bytes) noexcept {
  std::size_t at_once = bytes;
  while (bytes != 0) {
    const std::size_t now = std::min(at_once, bytes);
    if (::fallocate(memory, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(now)) == 0) {
      from += now;
      bytes -= now;
    } else if (errno == EINTR) {
      at_once = std::max(now / 2 / page * page, page);
    } else {
      return false;
    }
  }
  return true;
}

// A core dump would read, and so allocate, every page of a map that is nearly all holes.
void keep_private(void* at, std::size_t bytes) {
  ::madvise(at, bytes, MADV_DONTFORK);
  ::madvise(at, bytes, MADV_DONTDUMP);
}

}  // namespace

shared_memory::shared_memory(shared_memory&& other) noexcept
    : memory_(std::move(other.memory_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      whole_(std::exchange(other.whole_, 0)),
      is_view_(other.is_view_),
      limit_(std::move(other.limit_)) {}

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(whole_, other.whole_);
  std::swap(is_view_, other.is_view_);
  std::swap(limit_, other.limit_);
  return *this;
}

shared_memory::~shared_memory() {
  if (data_ != nullptr && !is_view_) ::munmap(data_, size_);
}

am_status shared_memory::create(fd& memory, const std::string& folder) {
  fd made(::memfd_create("am-job", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.valid()) {
    const std::string no_memfd = why(errno);
    if (errno == EMFILE || errno == ENFILE)
      return fail(AM_RESOURCE_DESCRIPTORS, "shared memory: memfd_create: {}", no_memfd);
    made = make_unnamed_file(folder);
    if (!made.valid())
      return fail(AM_RESOURCE_MEMORY,
                  "shared memory: memfd_create: {}; a file in {}: {} (AM_SHM_DIR names another "
                  "folder)",
                  no_memfd, folder, std::strerror(errno));
    log(log_level::info, "shared memory: memfd_create: {}: a file without a name in {} serves",
        no_memfd, folder);
  }
  memory = std::move(made);
  return AM_OK;
}

am_status shared_memory::map(fd memory, std::size_t bytes, std::size_t whole) {
  whole = std::max(bytes, whole);
  if (const am_status status = size_and_seal(memory.get(), bytes, whole); status != AM_OK)
    return status;
  void* at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.get(), 0);
  if (at == MAP_FAILED)
    return fail(AM_RESOURCE_MEMORY, "shared memory: cannot map {} bytes: {} (see `ulimit -v`)",
                bytes, std::strerror(errno));
  keep_private(at, bytes);
  shared_memory mapped;
  mapped.memory_ = std::move(memory);
  mapped.data_ = static_cast<std::byte*>(at);
  mapped.size_ = bytes;
  mapped.whole_ = whole;
  mapped.limit_ = memory_limit::of_this_process();
  *this = std::move(mapped);
  return AM_OK;
}

am_status shared_memory::view(const shared_memory& whole) {
  shared_memory made;
  made.memory_ = fd(::fcntl(whole.memory_.get(), F_DUPFD_CLOEXEC, 0));
  if (!made.memory_.valid())
    return fail(AM_RESOURCE_DESCRIPTORS, "shared memory: dup: {}", why(errno));
  made.data_ = whole.data_;
  made.size_ = whole.size_;
  made.whole_ = whole.whole_;
  made.is_view_ = true;
  made.limit_ = whole.limit_;
  *this = std::move(made);
  return AM_OK;
}

am_status shared_memory::reserve(std::size_t offset, std::size_t bytes) noexcept {
  if (offset > whole_ || bytes > whole_ - offset)
    return fail(AM_ARGUMENT_SIZE, "shared memory: {} bytes at {} are outside its {} bytes", bytes,
                offset, whole_);
  const std::size_t from = offset / page * page;
  const std::size_t length = offset + bytes - from;
  if (const std::size_t left = limit_.left(); length > left)
    return fail(AM_RESOURCE_SPACE,
                "shared memory: no room for {} more bytes: the control group has {} left", bytes,
                left);
  if (take_pages(memory_.get(), from, length)) return AM_OK;
  return fail(AM_RESOURCE_SPACE, "shared memory: no room for {} more bytes: {}", bytes,
              std::strerror(errno));
}

std::size_t shared_memory::room() const noexcept {
  return std::min(room_around(memory_.get()), limit_.left());
}

void shared_memory::release(std::size_t offset, std::size_t bytes) noexcept {
  (void)::fallocate(memory_.get(), FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE,
                    static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

std::byte* shared_memory::map_part(std::size_t offset, std::size_t bytes) const noexcept {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    memory_.get(), static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  keep_private(at, bytes);
  return static_cast<std::byte*>(at);
}

}  // namespace am::detail::base
