/// @file
/// libam for C++20: typed handlers, tokens that allow only what a handler may do, an endpoint that
/// leaves when it goes out of scope. Everything here is a thin layer over am.h.
///
///     void summed(am::reply_token, am::word sum) { total = sum; }
///     void add(am::request_token t, am::word a, am::word b) { t.reply<summed>(a + b); }
///
///     am::endpoint ep = am::join(argc, argv);
///     ep.request<add>(1, 2, 3);
///     ep.wait([] { return total != 0; });
///
/// A handler takes a token and up to four values of at most 8 bytes, or one struct of at most 32;
/// with a `std::span<const std::byte>` in front of them it also takes a payload. Calls throw
/// am::error; the try_ forms and wait_for return am::status instead.
#pragma once

#include <am/am.h>
#include <am/detail/bulk.hpp>
#include <am/detail/handler.hpp>
#include <am/detail/post.hpp>
#include <am/detail/segment.hpp>
#include <am/detail/send.hpp>
#include <am/detail/status.hpp>
#include <am/detail/token.hpp>
#include <am/detail/waiting.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// libam for C++20. Programs do not use am::detail.
namespace am {

/// A request that was returned to its sender: see am.h.
using returned = am_returned;

/// This process's place in a job. See am.h for what each call may block on and return; here a call
/// throws am::error where that one returns another status than AM_OK.
class endpoint {
 public:
  /// Takes ownership of an endpoint of the C interface.
  explicit endpoint(am_ep* raw) noexcept : raw_(raw), unwinding_(std::uncaught_exceptions()) {}
  /// The other is empty afterwards.
  endpoint(endpoint&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), unwinding_(other.unwinding_) {}
  /// Swaps the two.
  endpoint& operator=(endpoint&& other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(unwinding_, other.unwinding_);
    return *this;
  }
  /// Leaves: collective. While an exception unwinds it does not wait for the others: to them this
  /// rank has died. A close that is refused, such as on another thread, throws nothing here, nor
  /// does a posted function: call close() to get the error.
  ~endpoint() {
    if (raw_ == nullptr) return;
    if (std::uncaught_exceptions() > unwinding_)
      am_ep_abandon(raw_);
    else
      (void)am_ep_close(raw_);
    detail::discard_posted_exception();
  }

  /// This process's place in the job.
  [[nodiscard]] rank_id rank() const noexcept { return am_ep_rank(raw_); }
  /// How many processes the job has.
  [[nodiscard]] rank_id ranks() const noexcept { return am_ep_ranks(raw_); }
  /// The host of `rank`, as the lowest of its ranks.
  [[nodiscard]] rank_id host_of(rank_id rank) const noexcept { return am_ep_host_of(raw_, rank); }
  /// The most bytes of one payload.
  [[nodiscard]] std::size_t max_medium() const noexcept { return am_ep_max_medium(raw_); }
  /// For the C interface.
  [[nodiscard]] am_ep* raw() const noexcept { return raw_; }

  /// One pointer of the caller's, which handlers get by token.context<T>().
  void set_context(void* context) noexcept { am_ep_set_context(raw_, context); }

  // ---- requests ----

  /// Runs Handler at rank `to` with these values; a payload, for a handler that takes one, comes
  /// first. One overload for each number of values. @{
  template <detail::with_values<0> auto Handler>
  void request(rank_id to) {
    detail::check(detail::send<Handler, false>(raw_, to));
  }
  template <detail::with_values<1> auto Handler>
  void request(rank_id to, detail::param<Handler, 0> a) {
    detail::check(detail::send<Handler, false>(raw_, to, a));
  }
  template <detail::with_values<2> auto Handler>
  void request(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b) {
    detail::check(detail::send<Handler, false>(raw_, to, a, b));
  }
  template <detail::with_values<3> auto Handler>
  void request(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b,
               detail::param<Handler, 2> c) {
    detail::check(detail::send<Handler, false>(raw_, to, a, b, c));
  }
  template <detail::with_values<4> auto Handler>
  void request(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b,
               detail::param<Handler, 2> c, detail::param<Handler, 3> d) {
    detail::check(detail::send<Handler, false>(raw_, to, a, b, c, d));
  }
  template <detail::with_values<5> auto Handler>
  void request(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b,
               detail::param<Handler, 2> c, detail::param<Handler, 3> d,
               detail::param<Handler, 4> e) {
    detail::check(detail::send<Handler, false>(raw_, to, a, b, c, d, e));
  }
  /// @}
  /// The same with room for an answer: `ep.request<h>(to, reply_room(4096), …)`.
  template <auto Handler, class... Values>
  void request(rank_id to, reply_room room, Values&&... values) {
    detail::check(detail::send_with_room<Handler, false>(raw_, to, room, values...));
  }
  /// Chosen only when the values are wrong; explains it.
  template <auto Handler, class... Values, class = detail::if_values_mismatch<Handler, Values...>>
  void request(rank_id, Values&&...) {
    detail::explain_request<Handler, Values...>();
  }

  /// The same, never waiting: again(…) means that nothing happened. @{
  template <detail::with_values<0> auto Handler>
  [[nodiscard]] status try_request(rank_id to) {
    return detail::send<Handler, true>(raw_, to);
  }
  template <detail::with_values<1> auto Handler>
  [[nodiscard]] status try_request(rank_id to, detail::param<Handler, 0> a) {
    return detail::send<Handler, true>(raw_, to, a);
  }
  template <detail::with_values<2> auto Handler>
  [[nodiscard]] status try_request(rank_id to, detail::param<Handler, 0> a,
                                   detail::param<Handler, 1> b) {
    return detail::send<Handler, true>(raw_, to, a, b);
  }
  template <detail::with_values<3> auto Handler>
  [[nodiscard]] status try_request(rank_id to, detail::param<Handler, 0> a,
                                   detail::param<Handler, 1> b, detail::param<Handler, 2> c) {
    return detail::send<Handler, true>(raw_, to, a, b, c);
  }
  template <detail::with_values<4> auto Handler>
  [[nodiscard]] status try_request(rank_id to, detail::param<Handler, 0> a,
                                   detail::param<Handler, 1> b, detail::param<Handler, 2> c,
                                   detail::param<Handler, 3> d) {
    return detail::send<Handler, true>(raw_, to, a, b, c, d);
  }
  template <detail::with_values<5> auto Handler>
  [[nodiscard]] status try_request(rank_id to, detail::param<Handler, 0> a,
                                   detail::param<Handler, 1> b, detail::param<Handler, 2> c,
                                   detail::param<Handler, 3> d, detail::param<Handler, 4> e) {
    return detail::send<Handler, true>(raw_, to, a, b, c, d, e);
  }
  template <auto Handler, class... Values>
  [[nodiscard]] status try_request(rank_id to, reply_room room, Values&&... values) {
    return detail::send_with_room<Handler, true>(raw_, to, room, values...);
  }
  /// @}
  /// Chosen only when the values are wrong; explains it.
  template <auto Handler, class... Values, class = detail::if_values_mismatch<Handler, Values...>>
  [[nodiscard]] status try_request(rank_id, Values&&...) {
    detail::explain_request<Handler, Values...>();
    return {};
  }

  // ---- bulk data ----

  /// Copies bytes to `where` at rank `to`, then runs Handler there:
  /// `void(request_token, void*, std::size_t, …)`.
  template <auto Handler, class... Values>
  void store(rank_id to, void* where, bytes_in data, const Values&... values) {
    const am_handler* h = detail::bulk_handler<Handler, request_token>();
    const auto w = detail::pack_for<Handler, 2>(values...);
    detail::check(
        am_ep_store(raw_, to, where, data.data(), data.size(), h, w[0], w[1], w[2], w[3]));
  }
  /// The same for at most max_medium() bytes, never waiting: again(…) means that nothing happened.
  template <auto Handler, class... Values>
  [[nodiscard]] status try_store(rank_id to, void* where, bytes_in data, const Values&... values) {
    const am_handler* h = detail::bulk_handler<Handler, request_token>();
    const auto w = detail::pack_for<Handler, 2>(values...);
    return am_ep_try_store(raw_, to, where, data.data(), data.size(), h, w[0], w[1], w[2], w[3]);
  }
  /// The same, returning at once: `data` is libam's until Done has run here with the source and
  /// `context`: `void(reply_token, void*, std::size_t, T)`.
  template <auto Handler, auto Done, class Context, class... Values>
  void store_async(rank_id to, void* where, bytes_in data, const Context& context,
                   const Values&... values) {
    const am_handler* h = detail::bulk_handler<Handler, request_token>();
    const am_handler* done = detail::bulk_handler<Done, reply_token>();
    const auto w = detail::pack_for<Handler, 2>(values...);
    const auto then = detail::pack_for<Done, 2>(context);
    detail::check(am_ep_store_async(raw_, to, where, data.data(), data.size(), h, w[0], w[1], w[2],
                                    w[3], done, then[0]));
  }
  /// Copies bytes from `where` at rank `from` to `to` here, then runs Done here:
  /// `void(reply_token, void*, std::size_t, …)`.
  template <auto Done, class... Values>
  void get(rank_id from, const void* where, bytes_out to, const Values&... values) {
    const am_handler* done = detail::bulk_handler<Done, reply_token>();
    const auto w = detail::pack_for<Done, 2>(values...);
    detail::check(am_ep_get(raw_, from, where, to.data(), to.size(), done, w[0], w[1], w[2], w[3]));
  }
  /// Adds to a word of rank `at` in one step, then runs Done here with the word before and up to
  /// three values: `void(reply_token, word before, …)`.
  template <auto Done, class... Values>
  void fetch_add(rank_id at, word* where, word operand, const Values&... values) {
    detail::atomic<Done>(raw_, at, where, AM_FETCH_ADD, operand, 0, values...);
  }
  /// The same, but puts `desired` there.
  template <auto Done, class... Values>
  void exchange(rank_id at, word* where, word desired, const Values&... values) {
    detail::atomic<Done>(raw_, at, where, AM_EXCHANGE, desired, 0, values...);
  }
  /// The same, but puts `desired` there if the word was `expected`.
  template <auto Done, class... Values>
  void compare_swap(rank_id at, word* where, word expected, word desired, const Values&... values) {
    detail::atomic<Done>(raw_, at, where, AM_COMPARE_SWAP, desired, expected, values...);
  }

  /// Collective: makes a segment of `bytes` at every rank; each has all addresses.
  [[nodiscard]] segment all_segments(std::size_t bytes) {
    am_seg* raw = nullptr;
    detail::check(am_seg_create_all(raw_, bytes, &raw));
    return segment(raw);
  }

  // ---- progress ----

  /// Runs handlers, of at most `budget` messages (0: a number of libam's choice); returns how many.
  unsigned poll(unsigned budget = 0) {
    unsigned ran = 0;
    detail::check_or_rethrow(am_ep_poll(raw_, budget, &ran));
    return ran;
  }

  /// Polls until done() is true. Throws what done() throws.
  template <class Predicate>
  void wait(Predicate&& done) {
    detail::wait_predicate<Predicate> w{&done, nullptr};
    const am_status status = am_ep_wait(raw_, &detail::wait_predicate<Predicate>::is_done, &w);
    w.rethrow();
    detail::check(status);
  }

  /// The same, no longer than `time`: then again(time). A negative time, or NaN, counts as 0; more
  /// than 292 years as for ever.
  template <class Predicate, class Rep, class Period>
  [[nodiscard]] status wait_for(Predicate&& done, std::chrono::duration<Rep, Period> time) {
    detail::wait_predicate<Predicate> w{&done, nullptr};
    const am_status status = am_ep_wait_for(raw_, &detail::wait_predicate<Predicate>::is_done, &w,
                                            detail::nanoseconds_of(time));
    w.rethrow();
    return status;
  }

  /// As poll(), but waits if nothing has come. Returns 0 if only a posted function has run.
  unsigned wait_any(unsigned budget = 0) {
    unsigned ran = 0;
    constexpr auto for_ever = std::numeric_limits<std::int64_t>::max();
    detail::check_or_rethrow(am_ep_wait_any(raw_, budget, for_ever, &ran));
    return ran;
  }
  /// The same, no longer than `time`: then again(time).
  template <class Rep, class Period>
  [[nodiscard]] status wait_any_for(std::chrono::duration<Rep, Period> time, unsigned budget = 0) {
    const am_status status = am_ep_wait_any(raw_, budget, detail::nanoseconds_of(time), nullptr);
    detail::rethrow_posted_exception();
    return status;
  }

  /// Hands `f` to the owner of this endpoint, from any thread and from handlers: it is called once,
  /// in an outermost poll or call that blocks, or in close. What it throws is thrown by the poll,
  /// wait, flush, fence or close that ran it; if a request, a store or a collective ran it, by the
  /// next of these. again(queue): too many wait already, and `f` is destroyed.
  template <class Function>
  [[nodiscard]] status post(Function&& f) {
    return detail::post(raw_, std::forward<Function>(f));
  }

  /// The descriptor for other event loops: see am.h and docs/waiting.md.
  [[nodiscard]] int fd() const noexcept { return am_ep_fd(raw_); }
  /// True: it will become readable when there is something to poll for. False: poll first.
  [[nodiscard]] bool arm() {
    int armed = 0;
    detail::check(am_ep_arm(raw_, &armed));
    return armed != 0;
  }

  /// The counters since the join: docs/counters.md. Handlers may call it.
  [[nodiscard]] am_stats stats() const {
    am_stats found{};
    detail::check(am_ep_stats(raw_, &found, sizeof found));
    return found;
  }
  /// The same for one other rank.
  [[nodiscard]] am_traffic stats(rank_id with) const {
    am_traffic found{};
    detail::check(am_ep_stats_with(raw_, with, &found, sizeof found));
    return found;
  }
  /// How often `Handler` has run here.
  template <auto Handler>
  [[nodiscard]] std::uint64_t runs() const {
    std::uint64_t found = 0;
    detail::check(am_ep_stats_of(raw_, &detail::entry_of<Handler>::entry, &found));
    return found;
  }

  /// Returns when all that was accepted so far is in flight.
  void flush() { detail::check_or_rethrow(am_ep_flush(raw_)); }
  /// Holds later requests to `rank` behind the bulk data sent there before.
  void fence(rank_id rank) { detail::check_or_rethrow(am_ep_fence(raw_, rank)); }
  /// Numbers the handlers anew after a dlopen: collective.
  void update_handlers() { detail::check(am_ep_update_handlers(raw_)); }
  /// Makes the calling thread the owner; no other thread may be inside a call.
  void adopt() { detail::check(am_ep_adopt(raw_)); }

  /// Leaves: collective. The endpoint is empty afterwards.
  void close() {
    const am_status status = am_ep_close(raw_);  // functions that run in it may use this object
    raw_ = nullptr;
    detail::rethrow_posted_exception();
    detail::check(status);
  }
  /// Ends the whole job at once, with this exit status.
  [[noreturn]] void abort(int exit_status) { am_ep_abort(raw_, exit_status); }

  /// Function gets returned requests: `void(am::reply_token, const am::returned&)`.
  template <auto Function>
  void on_undeliverable() {
    am_ep_on_undeliverable(
        raw_,
        [](am_token raw, const am_returned* message, void*) {
          detail::guard_handler(raw, "on_undeliverable",
                                [&] { Function(reply_token{raw}, *message); });
        },
        nullptr);
  }

  /// With AM_ON_PEER_DEATH=callback: after a death or a loss. `void(am::reply_token, am::rank_id)`.
  template <auto Function>
  void on_peer_failure() {
    am_ep_on_peer_failure(
        raw_,
        [](am_token raw, am_rank rank, void*) {
          detail::guard_handler(raw, "on_peer_failure", [&] { Function(reply_token{raw}, rank); });
        },
        nullptr);
  }
  /// How many ranks have died or are lost, as far as this one knows.
  [[nodiscard]] rank_id deaths() const noexcept { return am_ep_deaths(raw_); }

  // ---- the job's key store, for initialization ----

  /// Publishes a blob under `key` with the next job_fence().
  void job_put(const std::string& key, std::span<const std::byte> blob) {
    detail::check(am_job_put(raw_, key.c_str(), blob.data(), blob.size()));
  }
  /// Collective: returns when every rank has called it, with all blobs published.
  void job_fence() { detail::check_or_rethrow(am_job_fence(raw_)); }
  /// The blob that `rank` has published under `key`.
  [[nodiscard]] std::vector<std::byte> job_get(rank_id rank, const std::string& key) {
    std::size_t bytes = 0;
    (void)am_job_get(raw_, rank, key.c_str(), nullptr, &bytes);
    std::vector<std::byte> blob(bytes);
    detail::check(am_job_get(raw_, rank, key.c_str(), blob.data(), &bytes));
    return blob;
  }

 private:
  am_ep* raw_;
  int unwinding_;
};

inline segment::segment(endpoint& ep, std::size_t bytes) {
  detail::check(am_seg_create(ep.raw(), bytes, &raw_));
}

/// Joins the job that this process was started in (am-run, …), or a job of one.
[[nodiscard]] inline endpoint join(int& argc, char**& argv) {
  am_ep* raw = nullptr;
  detail::check(am_join(&argc, &argv, &raw));
  return endpoint(raw);
}

}  // namespace am

/// At global scope: names this handler `name` at all ranks, whatever file they run.
#undef AM_HANDLER
#define AM_HANDLER(handler, name)                                                          \
  template <>                                                                              \
  inline constexpr const char* am::handler_name<handler> = name;                           \
  [[maybe_unused]] static const am_handler* AM_DETAIL_PASTE(am_named_handler_, __LINE__) = \
      &am::detail::entry_of<handler>::entry
#define AM_DETAIL_PASTE(a, b) AM_DETAIL_PASTE_NOW(a, b)
#define AM_DETAIL_PASTE_NOW(a, b) a##b
