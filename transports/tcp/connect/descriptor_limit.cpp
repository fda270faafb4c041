#include <transports/tcp/connect/descriptor_limit.hpp>

#include <libam/base/fd.hpp>
#include <libam/base/log.hpp>

#include <sys/resource.h>

#include <algorithm>

namespace am::detail::tcp {

namespace {
// For connections that have not been proved yet, and for what the program opens later.
constexpr std::size_t extra_descriptors = 16;
}  // namespace

void raise_descriptor_limit(std::size_t connections) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t needed = base::open_descriptors().size() + connections + extra_descriptors;
  if (needed <= files.rlim_cur) return;
  const rlim_t before = files.rlim_cur;
  files.rlim_cur = std::min(needed, files.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0) files.rlim_cur = before;
  if (needed <= files.rlim_cur)
    base::log(base::log_level::info, "tcp may need {} descriptors: the limit is raised from {}",
              needed, before);
  else
    base::log(base::log_level::warn,
              "tcp may need {} descriptors and this process may have {}: raise the limit (ulimit "
              "-n {})",
              needed, files.rlim_cur, needed);
}

}  // namespace am::detail::tcp
