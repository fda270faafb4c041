// gam.h: functions named by bare pointers, which go as words (function_word.hpp), and one endpoint
// for the whole program. Core does not depend on it. The handlers below, which run a function by
// its address, are registered by am_enable and no earlier: in a program that never calls it no
// message can name one.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/gam/function_word.hpp>
#include <libam/gam/reply_copies.hpp>

#include <am/gam.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace {

using am::detail::gam::function_of;
using am::detail::gam::number_of;
using am::detail::gam::word_of;

am_ep* the_endpoint = nullptr;
thread_local std::optional<am_token> running;  // of the request whose handler runs
am::detail::gam::image own_image{};            // where this program is loaded
std::vector<am_word> image_starts;             // where each rank's program is loaded
am::detail::gam::reply_copies copies;
std::vector<std::pair<am_rank, am_word>> copies_to_release;  // fetched; their ranks have to know

[[noreturn]] void abort_call(const char* call) {
  if (the_endpoint == nullptr) {
    std::fprintf(stderr, "am: error: %s: %s\n", call, am_error_text());
    std::_Exit(1);
  }
  am::detail::core::endpoint_of(the_endpoint)
      .membership()
      .abort(1, am::detail::base::format("{}: {}", call, am_error_text()));
}

int require_ok(const char* call, am_status status) {
  if (status != AM_OK) abort_call(call);
  return 0;
}

// A function and its number of arguments, as the address in a message without bytes.
void* encode_function(const char* call, am_gam_function fn, int count) {
  const am_word word = word_of(fn, static_cast<unsigned>(count));
  if (word == 0) {
    am::detail::base::fail(AM_ARGUMENT_HANDLER, "{} is not a function of this program",
                           reinterpret_cast<void*>(fn));
    abort_call(call);
  }
  return reinterpret_cast<void*>(word);
}

am_gam_function decode_function(am_word word) {
  const am_gam_function fn = function_of(word);
  if (fn == nullptr) {
    am::detail::base::fail(AM_ARGUMENT_HANDLER,
                           "a message for a function ({:#x}) that this rank does not have: do all "
                           "ranks run the same files?",
                           word);
    abort_call("a handler of gam.h");
  }
  return fn;
}

extern am_handler fetched_handler;
extern am_handler release_handler;

template <class... Arguments>
void call(am_gam_function fn, Arguments... arguments) {
  reinterpret_cast<void (*)(vnn_t, Arguments...)>(fn)(static_cast<vnn_t>(am_token_source(*running)),
                                                      arguments...);
}

void run(am_token token, const am_word* w, const void* data, std::size_t) {
  const auto word = reinterpret_cast<std::uintptr_t>(data);
  const am_gam_function fn = decode_function(word);
  running = token;
  switch (number_of(word)) {
    case 0: call(fn); break;
    case 1: call(fn, w[0]); break;
    case 2: call(fn, w[0], w[1]); break;
    case 3: call(fn, w[0], w[1], w[2]); break;
    default: call(fn, w[0], w[1], w[2], w[3]);
  }
  running.reset();
}

void run_bulk(am_token token, am_gam_function fn, const void* data, std::size_t bytes,
              am_word arg) {
  running = token;
  call(fn, const_cast<void*>(data), static_cast<int>(bytes), reinterpret_cast<void*>(arg));
  running.reset();
}

void on_stored(am_token token, const am_word* w, const void* data, std::size_t bytes) {
  if (w[0] != 0) run_bulk(token, decode_function(w[0]), data, bytes, w[1]);
}

// At the caller of am_get: w[0] is a pointer of its own.
void on_got(am_token token, const am_word* w, const void* data, std::size_t bytes) {
  const auto fn = reinterpret_cast<am_gam_function>(w[0]);
  if (fn != nullptr) run_bulk(token, fn, data, bytes, w[1]);
}

// At the requester: the bytes are in a copy at the target, and are to come to `data`.
void start_fetch(am_token token, const am_word* w, const void* data, std::size_t) {
  const am_word words[AM_WORDS] = {w[2], w[3], w[0], 0};
  const am_status status = am::detail::core::endpoint_of(token.ep).bulk_calls().get_later(
      am_token_source(token), reinterpret_cast<const void*>(w[0]), const_cast<void*>(data), w[1],
      &fetched_handler, words);
  if (am_status_reason(status) != AM_REASON_PEER) (void)require_ok("am_reply_xfer", status);
}

// As many as can be sent now; for dead ranks none has to be.
void release_copies() {
  while (!copies_to_release.empty()) {
    const auto [rank, copy] = copies_to_release.back();
    const am_status status = am_ep_later(the_endpoint, rank, &release_handler, copy, 0, 0, 0);
    if (status == AM_AGAIN_QUEUE) return;
    if (am_status_reason(status) != AM_REASON_PEER) (void)require_ok("am_reply_xfer", status);
    copies_to_release.pop_back();
  }
}

void on_fetched(am_token token, const am_word* w, const void* data, std::size_t bytes) {
  copies_to_release.emplace_back(am_token_source(token), w[2]);
  release_copies();
  on_stored(token, w, data, bytes);
}

void on_release(am_token token, const am_word* w, const void*, std::size_t) {
  copies.release(am_token_source(token), w[0]);
}

// Before a request of this rank: limits the copies at other ranks that wait to be fetched.
void wait_for_fetch_slot() {
  if (the_endpoint == nullptr) return;  // the call will refuse that
  release_copies();
  const auto may_request = [](void*) -> int {
    return am::detail::core::endpoint_of(the_endpoint).bulk_calls().gets_for_later() <
           am::detail::gam::most_fetches;
  };
  if (may_request(nullptr) == 0) (void)am_ep_wait(the_endpoint, may_request, nullptr);
}

struct store_completion {
  am_gam_function fn;
  void* argument;
};

void on_store_ended(am_token token, const am_word* w, const void* data, std::size_t bytes) {
  const std::unique_ptr<store_completion> end(reinterpret_cast<store_completion*>(w[0]));
  if (end->fn != nullptr)
    run_bulk(token, end->fn, data, bytes, reinterpret_cast<am_word>(end->argument));
}

constexpr am_handler gam_handler(am_handler_fn* fn, const char* name, std::uint32_t flags = 0) {
  return {fn, name, name, nullptr, AM_HANDLER_UNNUMBERED, flags};
}
am_handler run_handler = gam_handler(&run, "am.gam.run");
am_handler stored_handler = gam_handler(&on_stored, "am.gam.stored");
am_handler got_handler = gam_handler(&on_got, "am.gam.got");
am_handler store_ended_handler = gam_handler(&on_store_ended, "am.gam.store_ended");
am_handler fetch_handler = gam_handler(&start_fetch, "am.gam.fetch");
am_handler fetched_handler = gam_handler(&on_fetched, "am.gam.fetched");
am_handler release_handler = gam_handler(&on_release, "am.gam.release", AM_HANDLER_OF_LIBRARY);

constexpr am_handler* all_handlers[] = {&run_handler,         &stored_handler, &got_handler,
                                        &store_ended_handler, &fetch_handler,  &fetched_handler,
                                        &release_handler};

am_word word_or_none(const char* call_name, am_gam_function fn) {
  return fn == nullptr ? 0 : reinterpret_cast<am_word>(encode_function(call_name, fn, 0));
}

// An address in this program's image means the same variable of the other rank, wherever the loader
// has placed it; any other is an address there.
void* address_at(vnn_t rank, const void* address) {
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  const bool in_image = here >= own_image.start && here < own_image.end;
  const bool known = rank >= 0 && static_cast<std::size_t>(rank) < image_starts.size();
  const am_word there = in_image && known ? here - own_image.start + image_starts[rank] : here;
  return reinterpret_cast<void*>(there);
}

am_rank rank_of(const char* call_name, vnn_t rank) {
  if (rank >= 0) return static_cast<am_rank>(rank);
  am::detail::base::fail(AM_ARGUMENT_RANK, "rank {}: this job has ranks 0 to {}", rank,
                         static_cast<vnn_t>(am_ep_ranks(the_endpoint)) - 1);
  abort_call(call_name);
}

std::size_t size_of(const char* call_name, int bytes) {
  if (bytes >= 0) return static_cast<std::size_t>(bytes);
  am::detail::base::fail(AM_ARGUMENT_SIZE, "{} bytes: 0 to {} can be moved", bytes, INT_MAX);
  abort_call(call_name);
}

void check_reply(const char* call_name, vnn_t to) {
  if (running && static_cast<am_rank>(to) == am_token_source(*running)) return;
  am::detail::base::fail(AM_USAGE_IN_HANDLER,
                         "to rank {}: only the handler of a request replies, to its sender", to);
  abort_call(call_name);
}

// A function's arguments as the words of a message.
std::array<am_word, AM_WORDS> words_of(const char* call_name, int count, const am_word* a) {
  std::array<am_word, AM_WORDS> w{};
  if (count < 0 || count > AM_WORDS || (count != 0 && a == nullptr)) {
    am::detail::base::fail(AM_ARGUMENT_SIZE, "{} arguments at {}: there may be 0 to {}", count,
                           static_cast<const void*>(a), static_cast<int>(AM_WORDS));
    abort_call(call_name);
  }
  std::copy_n(a, count, w.begin());
  return w;
}

}  // namespace

extern "C" {

am_ep* am_gam_endpoint(void) { return the_endpoint; }

void am_gam_enable(void) {
  if (the_endpoint != nullptr) return;
  for (am_handler* handler : all_handlers) am_handler_register(handler);
  require_ok("am_enable", am_join(nullptr, nullptr, &the_endpoint));
  own_image = am::detail::gam::program_image();
  require_ok(
      "am_enable",
      am::detail::core::endpoint_of(the_endpoint).all_gather(own_image.start, AM_OK, image_starts));
}

void am_gam_disable(void) {
  require_ok("am_disable", am_ep_close(the_endpoint));
  copies.clear();
  copies_to_release.clear();
  the_endpoint = nullptr;
  for (am_handler* handler : all_handlers) am_handler_unregister(handler);
}

void am_gam_poll(void) {
  release_copies();
  require_ok("am_poll", am_ep_poll(the_endpoint, 0, nullptr));
}

int am_gam_request(vnn_t to, am_gam_function fn, int count, const am_word* a) {
  const auto w = words_of("am_request", count, a);
  wait_for_fetch_slot();
  return require_ok("am_request", am_ep_store(the_endpoint, rank_of("am_request", to),
                                              encode_function("am_request", fn, count), nullptr, 0,
                                              &run_handler, w[0], w[1], w[2], w[3]));
}

int am_gam_reply(vnn_t to, am_gam_function fn, int count, const am_word* a) {
  const auto w = words_of("am_reply", count, a);
  check_reply("am_reply", to);
  return require_ok(
      "am_reply", am_token_reply_at(*running, &run_handler, encode_function("am_reply", fn, count),
                                    w[0], w[1], w[2], w[3]));
}

int am_gam_reply_xfer(vnn_t to, const void* here, void* there, int bytes, am_gam_function fn,
                      void* arg) {
  constexpr char call_name[] = "am_reply_xfer";
  check_reply(call_name, to);
  void* const where = address_at(to, there);
  const std::size_t size = size_of(call_name, bytes);
  const am_word word = word_or_none(call_name, fn);
  const auto argument = reinterpret_cast<am_word>(arg);
  const am_status status =
      am_token_reply_store(*running, where, here, size, &stored_handler, word, argument, 0, 0);
  if (status != AM_ARGUMENT_SIZE) return require_ok(call_name, status);
  const am::detail::core::peers& others = am::detail::core::endpoint_of(the_endpoint).peers();
  copies.release_if([&](am_rank rank) { return others.is_dead(rank); });
  const std::byte* const copy = copies.add(am_token_source(*running), here, size);
  if (copy == nullptr)
    return require_ok(
        call_name,
        am::detail::base::fail(AM_RESOURCE_MEMORY, "out of memory for a copy of {} bytes", size));
  return require_ok(
      call_name, am_token_reply_at(*running, &fetch_handler, where, reinterpret_cast<am_word>(copy),
                                   size, word, argument));
}

int am_gam_store(vnn_t to, const void* here, void* there, int bytes, am_gam_function fn,
                 void* arg) {
  wait_for_fetch_slot();
  return require_ok(
      "am_store", am_ep_store(the_endpoint, rank_of("am_store", to), address_at(to, there), here,
                              size_of("am_store", bytes), &stored_handler,
                              word_or_none("am_store", fn), reinterpret_cast<am_word>(arg), 0, 0));
}

int am_gam_store_async(vnn_t to, const void* here, void* there, int bytes, am_gam_function fn,
                       void* arg, am_gam_function end, void* end_arg) {
  wait_for_fetch_slot();
  auto completion = std::make_unique<store_completion>(store_completion{end, end_arg});
  const am_status status =
      am_ep_store_async(the_endpoint, rank_of("am_store_async", to), address_at(to, there), here,
                        size_of("am_store_async", bytes), &stored_handler,
                        word_or_none("am_store_async", fn), reinterpret_cast<am_word>(arg), 0, 0,
                        &store_ended_handler, reinterpret_cast<am_word>(completion.get()));
  if (status == AM_OK) (void)completion.release();
  return require_ok("am_store_async", status);
}

int am_gam_get(vnn_t from, const void* there, void* here, int bytes, am_gam_function fn,
               void* arg) {
  return require_ok("am_get",
                    am_ep_get(the_endpoint, rank_of("am_get", from), address_at(from, there), here,
                              size_of("am_get", bytes), &got_handler, reinterpret_cast<am_word>(fn),
                              reinterpret_cast<am_word>(arg), 0, 0));
}

}  // extern "C"
