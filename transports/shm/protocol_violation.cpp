#include <transports/shm/protocol_violation.hpp>

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>

#include <cstdlib>
#include <string>

namespace am::detail::shm {

void report_violation_formatted(seam::boot& job, am_rank peer, fmt::string_view format,
                                fmt::format_args values) noexcept {
  const std::string line = base::format("shm: rank {} has violated the protocol: {}", peer,
                                        base::format_args_to_text(format, values));
  base::log_line(base::log_level::error, line);
  job.abort(1, line);
  std::_Exit(1);  // abort() does not return, which the compiler does not know
}

}  // namespace am::detail::shm
