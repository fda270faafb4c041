// AM_DIAL: what core does for a network that is slower than it is. Transports are wrapped, and each
// entry of the table of handlers runs its function through run_dialled, so that a job without dials
// has not one instruction more.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/known_transports.hpp>

#include <utility>

namespace am::detail::dial {
std::unique_ptr<seam::message_dials> make_network(const seam::transport_context& context,
                                                  am_status& status);
}

namespace am::detail::core {

std::unique_ptr<seam::message_dials> make_dials(const seam::transport_context& context,
                                                am_status& status) {
  if (!context.job.one_host()) {
    status = base::fail(AM_ARGUMENT_SETTING,
                        "AM_DIAL needs all ranks on one host: the clocks of hosts differ by more "
                        "than a dial may err, and {} of {} ranks are on this one",
                        context.job.ranks_here(), context.ranks);
    return nullptr;
  }
  if (context.rank == 0)
    base::log(base::log_level::info, "messages cost what AM_DIAL says, and not what they would");
  return dial::make_network(context, status);
}

std::unique_ptr<seam::transport> with_dials(std::unique_ptr<seam::transport> plain,
                                            seam::message_dials* dials) {
  const bool wanted = plain != nullptr && dials != nullptr && plain->name() != "self";
  return wanted ? dials->wrap(std::move(plain)) : std::move(plain);
}

// ---- handlers -----------------------------------------------------------------------------------

void dispatcher::dial_handlers() {
  functions_.clear();
  for (entry& one : handlers_) functions_.push_back(std::exchange(one.fn, &run_dialled));
}

// A message of libam's own may carry one for the program, whose handler is part of the same message.
void dispatcher::run_dialled(am_token token, const am_word* words, const void* data,
                             std::size_t bytes) {
  dispatcher& self = endpoint_of(token.ep).dispatcher();
  am_handler_fn* const function = self.functions_[std::min(self.running_, self.count_)];
  if (self.in_dialled_handler_ || !self.dials_->delivers())
    return function(token, words, data, bytes);
  self.in_dialled_handler_ = true;
  self.dial_answers();
  self.dials_->before_handler();
  function(token, words, data, bytes);
  self.in_dialled_handler_ = false;
}

// The return path stays dialled until the batch ends: libam's own answer to a request with room
// comes after its handler.
void dispatcher::dial_answers() noexcept {
  const bool with_room = return_path_ == &with_room_;
  seam::return_path* const back = with_room ? &with_room_.inner() : return_path_;
  if (back == nullptr || back == dialled_path_) return;
  dialled_path_ = &dials_->dial_answers(*back, source_);
  if (with_room)
    with_room_.wrap(*dialled_path_);
  else
    return_path_ = dialled_path_;
}

}  // namespace am::detail::core
