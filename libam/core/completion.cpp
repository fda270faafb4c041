#include <libam/core/completion.hpp>

namespace am::detail::core {

unsigned completion_queue::run(unsigned budget) noexcept {
  unsigned ran = 0;
  for (; ran < budget && !all_.empty(); ++ran) {
    const completion_entry done = all_.front();
    all_.pop_front();
    if (done.handler == peer_failure_id) {
      callbacks_.report_peer_failure(done.peer);
      continue;
    }
    seam::inbox::batch here(dispatcher_, done.peer, nullptr);
    if (done.reason == AM_OK)
      here.reply(done.handler, done.words, done.data, done.bytes);
    else if (dispatcher_.is_of_library(done.handler))  // it knows by the missing data
      here.reply(done.handler, done.words, nullptr, 0);
    else
      here.deliver_returned(done.reason, done.handler, done.words, done.unknown);
  }
  return ran;
}

}  // namespace am::detail::core
