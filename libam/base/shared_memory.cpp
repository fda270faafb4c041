// The memory is sized and sealed before it is mapped: after that no process that has it can shrink
// it (SIGBUS) or grow it. A file has no seals, but only the ranks of the job have it.
#include <libam/base/shared_memory.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/sigxfsz_blocker.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace am::detail::base {
namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr std::size_t page = 4096;

bool can_be_sealed(int memory) noexcept {
  const int seals = ::fcntl(memory, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SEAL) == 0;
}

// Held by one rank at a time, so that only the first finds an empty file, and sizes it.
class sizing_lock {
 public:
  explicit sizing_lock(int file) noexcept : file_(file) { set(F_WRLCK); }
  ~sizing_lock() { set(F_UNLCK); }
  sizing_lock(const sizing_lock&) = delete;
  sizing_lock& operator=(const sizing_lock&) = delete;

 private:
  void set(short type) const noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    while (::fcntl(file_, F_SETLKW, &lock) != 0 && errno == EINTR) continue;
  }
  int file_;
};

// To `total_bytes`, or to `bytes` where files may not be that large.
am_status grow_file(int memory, std::size_t bytes, std::size_t total_bytes) {
  // Beyond this limit the kernel would send a signal.
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
  if (grow(total_bytes)) return AM_OK;
  if (total_bytes != bytes && grow(bytes)) return AM_OK;
  return fail(AM_RESOURCE_SPACE, "shared memory: ftruncate to {} bytes: {}", bytes,
              std::strerror(errno));
}

am_status size_and_seal(int memory, std::size_t bytes, std::size_t& total_bytes) {
  const sizing_lock lock{memory};
  struct stat found {};
  if (::fstat(memory, &found) != 0)
    return fail(AM_RESOURCE_DESCRIPTORS, "shared memory: fstat: {}", std::strerror(errno));
  const bool first = found.st_size == 0;
  if (first) {
    if (const am_status status = grow_file(memory, bytes, total_bytes); status != AM_OK)
      return status;
  }
  if (can_be_sealed(memory) && ::fcntl(memory, F_ADD_SEALS, size_seals) != 0)
    return fail(AM_RESOURCE_MEMORY, "shared memory: cannot seal its size: {}",
                std::strerror(errno));
  ::fstat(memory, &found);
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size != total_bytes && size != bytes)
    return fail(AM_ARGUMENT_SETTING,
                "shared memory: another rank made it {} bytes and this one needs {}: do all ranks "
                "have the same AM_SHM_SLOTS and AM_MAX_MEDIUM, and the same libam?",
                size, total_bytes);
  if (first && size != total_bytes)
    log(log_level::info,
        "shared memory: files may not have {} bytes here (see `ulimit -f`): there will be no "
        "segments",
        total_bytes);
  total_bytes = size;
  return AM_OK;
}

// In older kernels a signal ends the call, which then frees all that it had allocated. A smaller
// call can complete before the next signal. False with errno.
bool allocate_pages(int memory, std::size_t from, std::size_t bytes) noexcept {
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

// A core dump would read, and so allocate, every page of a mapping that is nearly all holes.
void exclude_from_fork_and_dump(void* at, std::size_t bytes) {
  ::madvise(at, bytes, MADV_DONTFORK);
  ::madvise(at, bytes, MADV_DONTDUMP);
}

// An unnamed file in `folder`, for memory where the kernel has no memfd. Invalid with errno if the
// folder takes no file, or none with fallocate. Some file systems have no O_TMPFILE: there the file
// has a name as long as it is empty.
fd make_unnamed_file(const std::string& folder) {
  fd made(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!made.valid() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/am-job-XXXXXX";
    made = fd(::mkostemp(name.data(), O_CLOEXEC));
    if (made.valid()) ::unlink(name.c_str());
  }
  if (!made.valid()) return made;
  const sigxfsz_blocker no_sigxfsz;
  if (::fallocate(made.get(), FALLOC_FL_KEEP_SIZE, 0, 1) == 0 && ::ftruncate(made.get(), 0) == 0)
    return made;
  const int why = errno;
  made = fd();
  errno = why;
  return made;
}

// The bytes that are free in the file system of this file. The kernel's own, which has the memfds,
// reports no blocks: then the largest number.
std::size_t free_space_of(int file) noexcept {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  struct statvfs counted {};
  if (::fstatvfs(file, &counted) != 0 || counted.f_blocks == 0) return all;
  return static_cast<std::size_t>(counted.f_bavail) * counted.f_frsize;
}

}  // namespace

shared_memory::shared_memory(shared_memory&& other) noexcept
    : memory_(std::move(other.memory_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      total_bytes_(std::exchange(other.total_bytes_, 0)),
      is_view_(other.is_view_),
      limit_(std::move(other.limit_)) {}

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(total_bytes_, other.total_bytes_);
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
    const std::string no_memfd = errno_text(errno);
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

am_status shared_memory::map(fd memory, std::size_t bytes, std::size_t total_bytes) {
  total_bytes = std::max(bytes, total_bytes);
  if (const am_status status = size_and_seal(memory.get(), bytes, total_bytes); status != AM_OK)
    return status;
  void* at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.get(), 0);
  if (at == MAP_FAILED)
    return fail(AM_RESOURCE_MEMORY, "shared memory: cannot map {} bytes: {} (see `ulimit -v`)",
                bytes, std::strerror(errno));
  exclude_from_fork_and_dump(at, bytes);
  shared_memory mapped;
  mapped.memory_ = std::move(memory);
  mapped.data_ = static_cast<std::byte*>(at);
  mapped.size_ = bytes;
  mapped.total_bytes_ = total_bytes;
  mapped.limit_ = memory_limit::of_this_process();
  *this = std::move(mapped);
  return AM_OK;
}

am_status shared_memory::view(const shared_memory& viewed) {
  shared_memory made;
  made.memory_ = fd(::fcntl(viewed.memory_.get(), F_DUPFD_CLOEXEC, 0));
  if (!made.memory_.valid())
    return fail(AM_RESOURCE_DESCRIPTORS, "shared memory: dup: {}", errno_text(errno));
  made.data_ = viewed.data_;
  made.size_ = viewed.size_;
  made.total_bytes_ = viewed.total_bytes_;
  made.is_view_ = true;
  made.limit_ = viewed.limit_;
  *this = std::move(made);
  return AM_OK;
}

am_status shared_memory::reserve(std::size_t offset, std::size_t bytes) noexcept {
  if (offset > total_bytes_ || bytes > total_bytes_ - offset)
    return fail(AM_ARGUMENT_SIZE, "shared memory: {} bytes at {} are outside its {} bytes", bytes,
                offset, total_bytes_);
  const std::size_t from = offset / page * page;
  const std::size_t length = offset + bytes - from;
  if (const std::size_t remaining = limit_.remaining(); length > remaining)
    return fail(AM_RESOURCE_SPACE,
                "shared memory: no room for {} more bytes: the control group has {} left", bytes,
                remaining);
  if (allocate_pages(memory_.get(), from, length)) return AM_OK;
  return fail(AM_RESOURCE_SPACE, "shared memory: no room for {} more bytes: {}", bytes,
              std::strerror(errno));
}

std::size_t shared_memory::available() const noexcept {
  return std::min(free_space_of(memory_.get()), limit_.remaining());
}

void shared_memory::release(std::size_t offset, std::size_t bytes) noexcept {
  (void)::fallocate(memory_.get(), FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE,
                    static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

std::byte* shared_memory::map_part(std::size_t offset, std::size_t bytes) const noexcept {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    memory_.get(), static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  exclude_from_fork_and_dump(at, bytes);
  return static_cast<std::byte*>(at);
}

}  // namespace am::detail::base
