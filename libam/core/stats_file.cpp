#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/core/stats_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace am::detail::core {

am_status stats_file::open(const std::string& name) {
  if (name.empty()) return AM_OK;
  name_ = name;
  file_ =
      base::fd(name == "-" ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                           : ::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file_.valid()) return AM_OK;
  return base::fail(AM_ARGUMENT_SETTING, "AM_STATS={}: {}", name, std::strerror(errno));
}

void stats_file::add(std::string_view line) noexcept {
  while (!line.empty()) {
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return base::log(base::log_level::warn, "AM_STATS={}: the counters are lost: {}", name_,
                       std::strerror(errno));
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace am::detail::core
