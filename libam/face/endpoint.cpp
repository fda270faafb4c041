// am.h: the endpoint's calls. Each goes to the function of core that implements it.
#include <libam/core/endpoint_list.hpp>
#include <libam/core/handlers.hpp>
#include <libam/face/guard.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

using am::detail::core::endpoint;
using am::detail::core::endpoint_of;
using am::detail::core::handle_of;
using am::detail::face::check_structure;
using am::detail::face::guarded;
using am::detail::face::guarded_at;
using am::detail::face::no_endpoint;
using am::detail::face::null_argument;

namespace {

// The caller's structure may be shorter or longer than this library's: what is longer becomes 0.
template <class T>
void copy_to_caller(const T& found, T* to, std::size_t bytes) noexcept {
  std::memset(to, 0, bytes);
  std::memcpy(to, &found, std::min(bytes, sizeof found));
}

}  // namespace

extern "C" {

// Without a status: the join reports what is wrong with a handler.
void am_handler_register(am_handler* handler) {
  if (handler != nullptr) am::detail::core::register_handler(handler);
}
void am_handler_unregister(am_handler* handler) {
  if (handler != nullptr) am::detail::core::unregister_handler(handler);
}

am_status am_join(int*, char***, am_ep** ep) {
  if (ep == nullptr) return null_argument("am_join", "ep", "an am_ep*");
  return guarded([&] {
    endpoint* joined = nullptr;
    const am_status status = endpoint::join_from_environment(&joined);
    if (status == AM_OK) *ep = handle_of(joined);
    return status;
  });
}

am_status am_ep_close(am_ep* ep) {
  return guarded_at(ep, [](endpoint& self) { return self.close(); });
}

// An exit status has 8 bits: 256 would become 0, which means success.
void am_ep_abort(am_ep* ep, int status) {
  if (status < 0 || status > 255) status = 255;
  if (ep == nullptr) std::_Exit(status);
  endpoint_of(ep).membership().abort(status, {});
}

void am_ep_abandon(am_ep* ep) {
  if (ep != nullptr) endpoint_of(ep).abandon();
}

am_status am_ep_adopt(am_ep* ep) {
  if (ep == nullptr) return no_endpoint();
  const am_status status = endpoint_of(ep).dispatcher().adopt();
  if (status == AM_OK) am::detail::core::own_trace(endpoint_of(ep));
  return status;
}

am_rank am_ep_rank(const am_ep* ep) { return ep == nullptr ? 0 : endpoint_of(ep).peers().rank(); }
am_rank am_ep_ranks(const am_ep* ep) { return ep == nullptr ? 0 : endpoint_of(ep).peers().ranks(); }
am_rank am_ep_host_of(const am_ep* ep, am_rank rank) {
  return ep == nullptr ? rank : endpoint_of(ep).peers().host_of(rank);
}
size_t am_ep_max_medium(const am_ep* ep) {
  return ep == nullptr ? 0 : endpoint_of(ep).peers().max_medium();
}
void* am_ep_context(const am_ep* ep) {
  return ep == nullptr ? nullptr : endpoint_of(ep).attached.context;
}
void am_ep_set_context(am_ep* ep, void* context) {
  if (ep != nullptr) endpoint_of(ep).attached.context = context;
}

am_status am_ep_update_handlers(am_ep* ep) {
  return guarded_at(ep, [](endpoint& self) { return self.update_handlers(); });
}

am_status am_ep_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0, am_word w1,
                        am_word w2, am_word w3) {
  if (ep == nullptr) [[unlikely]]
    return no_endpoint();
  return endpoint_of(ep).request(to, handler, w0, w1, w2, w3);
}

am_status am_ep_try_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                            am_word w1, am_word w2, am_word w3) {
  if (ep == nullptr) [[unlikely]]
    return no_endpoint();
  return endpoint_of(ep).requests().try_request(to, handler, w0, w1, w2, w3);
}

am_status am_ep_later(am_ep* ep, am_rank to, const am_handler* handler, am_word w0, am_word w1,
                      am_word w2, am_word w3) {
  if (ep == nullptr) return no_endpoint();
  return endpoint_of(ep).requests().later(to, handler, w0, w1, w2, w3);
}

am_status am_ep_request_medium(am_ep* ep, am_rank to, const am_handler* handler, const void* data,
                               size_t bytes, am_word w0, am_word w1, am_word w2, am_word w3) {
  if (ep == nullptr) [[unlikely]]
    return no_endpoint();
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return endpoint_of(ep).requests().medium(to, handler, data, bytes, words);
}

am_status am_ep_try_request_medium(am_ep* ep, am_rank to, const am_handler* handler,
                                   const void* data, size_t bytes, am_word w0, am_word w1,
                                   am_word w2, am_word w3) {
  if (ep == nullptr) [[unlikely]]
    return no_endpoint();
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return endpoint_of(ep).requests().try_medium(to, handler, data, bytes, words);
}

am_status am_ep_request_with_room(am_ep* ep, am_rank to, const am_handler* handler,
                                  const void* data, size_t bytes, size_t reply_room, am_word w0,
                                  am_word w1, am_word w2, am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.requests().request_with_room(to, handler, data, bytes, reply_room, words);
  });
}

am_status am_ep_try_request_with_room(am_ep* ep, am_rank to, const am_handler* handler,
                                      const void* data, size_t bytes, size_t reply_room, am_word w0,
                                      am_word w1, am_word w2, am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.requests().try_request_with_room(to, handler, data, bytes, reply_room, words);
  });
}

void am_ep_on_undeliverable(am_ep* ep, am_undeliverable_fn* fn, void* arg) {
  if (ep != nullptr) endpoint_of(ep).callbacks().on_undeliverable(fn, arg);
}

void am_ep_on_peer_failure(am_ep* ep, am_peer_failure_fn* fn, void* arg) {
  if (ep != nullptr) endpoint_of(ep).callbacks().on_peer_failure(fn, arg);
}

int am_ep_wants_thread(const am_ep* ep) {
  return ep != nullptr && endpoint_of(ep).attached.wants_thread ? 1 : 0;
}

am_rank am_ep_deaths(const am_ep* ep) {
  return ep == nullptr ? 0 : endpoint_of(ep).peers().deaths();
}

am_status am_ep_poll(am_ep* ep, unsigned budget, unsigned* ran) {
  if (ep == nullptr) [[unlikely]]
    return no_endpoint();
  return endpoint_of(ep).progress().poll(budget, ran);
}

am_status am_ep_wait(am_ep* ep, int (*done)(void*), void* arg) {
  if (ep == nullptr) return no_endpoint();
  if (done == nullptr) return null_argument("am_ep_wait", "done", "a function");
  return endpoint_of(ep).progress().wait(done, arg);
}

am_status am_ep_wait_for(am_ep* ep, int (*done)(void*), void* arg, int64_t nanoseconds) {
  if (ep == nullptr) return no_endpoint();
  if (done == nullptr) return null_argument("am_ep_wait_for", "done", "a function");
  return endpoint_of(ep).progress().wait_for(done, arg, std::max<std::int64_t>(nanoseconds, 0));
}

am_status am_ep_wait_any(am_ep* ep, unsigned budget, int64_t nanoseconds, unsigned* ran) {
  if (ep == nullptr) return no_endpoint();
  return endpoint_of(ep).progress().wait_any(budget, std::max<std::int64_t>(nanoseconds, 0), ran);
}

am_status am_ep_post(am_ep* ep, void (*fn)(void*), void* arg) {
  return guarded_at(ep, [&](endpoint& self) { return self.progress().post(fn, arg); });
}

int am_ep_fd(const am_ep* ep) { return ep == nullptr ? -1 : endpoint_of(ep).descriptor(); }

am_status am_ep_stats(const am_ep* ep, am_stats* stats, size_t bytes) {
  if (ep == nullptr) return no_endpoint();
  am_stats found{};
  am_status status = check_structure("am_ep_stats", "stats", stats, bytes, sizeof found);
  if (status == AM_OK) status = endpoint_of(ep).statistics().read_totals(found);
  if (status == AM_OK) copy_to_caller(found, stats, bytes);
  return status;
}

am_status am_ep_stats_with(const am_ep* ep, am_rank rank, am_traffic* traffic, size_t bytes) {
  if (ep == nullptr) return no_endpoint();
  am_traffic found{};
  am_status status = check_structure("am_ep_stats_with", "traffic", traffic, bytes, sizeof found);
  if (status == AM_OK) status = endpoint_of(ep).statistics().read_peer(rank, found);
  if (status == AM_OK) copy_to_caller(found, traffic, bytes);
  return status;
}

am_status am_ep_stats_of(const am_ep* ep, const am_handler* handler, uint64_t* runs) {
  if (ep == nullptr) return no_endpoint();
  if (runs == nullptr) return null_argument("am_ep_stats_of", "runs", "a uint64_t");
  return endpoint_of(ep).statistics().read_handler(handler, *runs);
}

am_status am_ep_arm(am_ep* ep, int* armed) {
  if (ep != nullptr && armed == nullptr) return null_argument("am_ep_arm", "armed", "an int");
  return guarded_at(ep, [&](endpoint& self) {
    bool safe = false;
    const am_status status = self.progress().arm(&safe);
    if (status == AM_OK) *armed = safe ? 1 : 0;
    return status;
  });
}

am_status am_ep_flush(am_ep* ep) {
  return ep == nullptr ? no_endpoint() : endpoint_of(ep).bulk_calls().flush();
}
am_status am_ep_fence(am_ep* ep, am_rank rank) {
  return ep == nullptr ? no_endpoint() : endpoint_of(ep).bulk_calls().fence(rank);
}

}  // extern "C"
