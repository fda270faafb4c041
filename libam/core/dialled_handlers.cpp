#include <libam/core/dialled_handlers.hpp>

#include <libam/core/endpoint_handle.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

void dialled_handlers::dial(std::vector<dispatcher::entry>& table) {
  messages_.dialled_ = this;
  functions_.clear();
  for (dispatcher::entry& one : table) functions_.push_back(std::exchange(one.fn, &run));
}

// A message of libam's own may carry one for the program, whose handler is part of the same
// message.
void dialled_handlers::run(am_token token, const am_word* words, const void* data,
                           std::size_t bytes) {
  const dispatcher& of = endpoint_of(token.ep).dispatcher();
  dialled_handlers& self = *of.dialled_;
  am_handler_fn* const function = self.functions_[std::min(of.running_, of.count_)];
  if (self.in_handler_ || !self.dials_.delivers()) return function(token, words, data, bytes);
  self.in_handler_ = true;
  self.stamp_answers();
  self.dials_.before_handler(of.source_, bytes);
  function(token, words, data, bytes);
  self.dials_.after_handler();
  self.in_handler_ = false;
}

// The return path stays dialled until the batch ends: libam's own answer to a request with room
// comes after its handler.
void dialled_handlers::stamp_answers() noexcept {
  dispatcher& of = messages_;
  const bool with_room = of.return_path_ == &of.with_room_;
  seam::return_path* const back = with_room ? &of.with_room_.inner() : of.return_path_;
  if (back == nullptr || back == path_) return;
  path_ = &dials_.dial_answers(*back, of.source_);
  if (with_room)
    of.with_room_.wrap(*path_);
  else
    of.return_path_ = path_;
}

}  // namespace am::detail::core
