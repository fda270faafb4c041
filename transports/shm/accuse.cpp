#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <transports/shm/accuse.hpp>

#include <cstdlib>
#include <string>

namespace am::detail::shm {

void accuse_formatted(seam::boot& job, am_rank peer, fmt::string_view format,
                      fmt::format_args values) noexcept {
  const std::string line = base::format("shm: rank {} has written nonsense: {}", peer,
                                        base::format_packed(format, values));
  base::log_line(base::log_level::error, line);
  job.abort(1, line);
  std::_Exit(1);  // it does not come back, but the compiler cannot know
}

}  // namespace am::detail::shm
