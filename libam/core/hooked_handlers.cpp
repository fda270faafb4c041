#include <libam/core/hooked_handlers.hpp>

#include <libam/core/endpoint_handle.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::core {

void hooked_handlers::hook(std::vector<dispatcher::entry>& table) {
  messages_.hooked_ = this;
  hooks_.name_handlers(table);
  functions_.clear();
  for (dispatcher::entry& one : table) functions_.push_back(std::exchange(one.fn, &run));
}

// A message of libam's own may carry one for the program, whose handler is part of the same
// message.
void hooked_handlers::run(am_token token, const am_word* words, const void* data,
                          std::size_t bytes) {
  const dispatcher& of = endpoint_of(token.ep).dispatcher();
  hooked_handlers& self = *of.hooked_;
  am_handler_fn* const function = self.functions_[std::min(of.running_, of.count_)];
  if (!self.hooks_.wants_handler()) return function(token, words, data, bytes);
  const seam::running_message one{of.source_, of.running_, bytes, of.return_path_ != nullptr,
                                  of.placed_};
  if (self.in_handler_) {
    self.hooks_.before_carried();
    function(token, words, data, bytes);
    return self.hooks_.after_carried(one);
  }
  self.in_handler_ = true;
  self.wrap_answers();
  self.hooks_.before_handler(one);
  function(token, words, data, bytes);
  self.hooks_.after_handler(one);
  self.in_handler_ = false;
}

// The return path stays wrapped until the batch ends: libam's own answer to a request with room
// comes after its handler.
void hooked_handlers::wrap_answers() noexcept {
  dispatcher& of = messages_;
  const bool with_room = of.return_path_ == &of.with_room_;
  seam::return_path* const back = with_room ? &of.with_room_.inner() : of.return_path_;
  if (back == nullptr || back == path_) return;
  path_ = &hooks_.wrap_answers(*back, of.source_);
  if (with_room)
    of.with_room_.wrap(*path_);
  else
    of.return_path_ = path_;
}

}  // namespace am::detail::core
