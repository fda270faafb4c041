#include <transports/dial/sender.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>

#include <cstdlib>

namespace am::detail::dial {

// An answer is the first message to a rank that has sent a request. Without a stamp it would never
// be delivered, so a living requester must not wait for it.
bool sender::open(am_rank to) noexcept {
  const am_status status = lanes_.open(context_, to);
  if (status == AM_OK) return true;
  if (status == AM_PEER_DEAD) return false;
  base::log_line(base::log_level::error, base::error_text());
  context_.job.abort(1, base::error_text());
  std::_Exit(1);  // abort() does not return, which the compiler does not know
}

}  // namespace am::detail::dial
