#include <libam/base/large_files.hpp>
#include <libam/base/unnamed_file.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

namespace am::detail::base {

// Some file systems have no O_TMPFILE. There the name stands for as long as the file is empty.
fd make_unnamed_file(const std::string& folder) {
  fd made(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!made.valid() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/am-job-XXXXXX";
    made = fd(::mkostemp(name.data(), O_CLOEXEC));
    if (made.valid()) ::unlink(name.c_str());
  }
  if (!made.valid()) return made;
  const large_files_are_errors meanwhile;
  if (::fallocate(made.get(), FALLOC_FL_KEEP_SIZE, 0, 1) == 0 && ::ftruncate(made.get(), 0) == 0)
    return made;
  const int why = errno;
  made = fd();
  errno = why;
  return made;
}

// The kernel's own file system, in which memfds lie, counts nothing.
std::size_t room_around(int file) noexcept {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  struct statvfs counted {};
  if (::fstatvfs(file, &counted) != 0 || counted.f_blocks == 0) return all;
  return static_cast<std::size_t>(counted.f_bavail) * counted.f_frsize;
}

}  // namespace am::detail::base
