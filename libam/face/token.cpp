// am.h: what a handler may do with its token.
#include <libam/face/guard.hpp>

#include <cstdlib>

using am::detail::core::endpoint;
using am::detail::core::endpoint_of;
using am::detail::face::guarded_at;
using am::detail::face::no_endpoint;

extern "C" {

am_status am_token_reply(am_token token, const am_handler* handler, am_word w0, am_word w1,
                         am_word w2, am_word w3) {
  if (token.ep == nullptr) [[unlikely]]
    return no_endpoint();
  return endpoint_of(token.ep).dispatcher().reply(token.serial, handler, w0, w1, w2, w3);
}

am_status am_token_reply_at(am_token token, const am_handler* handler, void* where, am_word w0,
                            am_word w1, am_word w2, am_word w3) {
  return am_token_reply_store(token, where, nullptr, 0, handler, w0, w1, w2, w3);
}

am_status am_token_reply_medium(am_token token, const am_handler* handler, const void* data,
                                size_t bytes, am_word w0, am_word w1, am_word w2, am_word w3) {
  if (token.ep == nullptr) return no_endpoint();
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return endpoint_of(token.ep).dispatcher().reply_medium(token.serial, handler, data, bytes, words);
}

am_status am_token_reply_store(am_token token, void* where, const void* data, size_t bytes,
                               const am_handler* handler, am_word w0, am_word w1, am_word w2,
                               am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(token.ep, [&](endpoint& self) {
    return self.dispatcher().reply_store(token.serial, where, data, bytes, handler, words);
  });
}

size_t am_token_reply_room(am_token token) {
  return token.ep == nullptr ? 0 : endpoint_of(token.ep).dispatcher().reply_room(token.serial);
}

am_rank am_token_source(am_token token) {
  return token.ep == nullptr ? 0 : endpoint_of(token.ep).dispatcher().source();
}
am_ep* am_token_endpoint(am_token token) { return token.ep; }

void am_token_threw(am_token token, const char* handler, const char* what) {
  const auto text = [](const char* given) { return given == nullptr ? "(null)" : given; };
  if (token.ep == nullptr) std::_Exit(1);
  endpoint_of(token.ep).dispatcher().on_handler_exception(text(handler), text(what));
}

const char* am_status_text(am_status status) { return am::detail::base::status_text(status); }
const char* am_error_text(void) { return am::detail::base::error_text(); }
const char* am_version(void) { return AM_VERSION_STRING; }

}  // extern "C"
