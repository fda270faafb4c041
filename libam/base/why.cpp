#include <libam/base/format.hpp>
#include <libam/base/why.hpp>

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace am::detail::base {

std::string why(int error) {
  rlimit files{};
  if (error != EMFILE || ::getrlimit(RLIMIT_NOFILE, &files) != 0) return std::strerror(error);
  return format("{}: {} may be open here: raise `ulimit -n`", std::strerror(error), files.rlim_cur);
}

}  // namespace am::detail::base
