// The tokens: a handler's access to its message, and the right to answer it.
#pragma once

#include <am/detail/bulk.hpp>
#include <am/detail/handler.hpp>
#include <am/detail/status.hpp>

namespace am {

class request_token;

/// The common part of both tokens. A token is not copied or moved: it is valid in its handler
/// alone.
class token {
 public:
  token(const token&) = delete;
  token& operator=(const token&) = delete;

  /// The rank that sent the message.
  [[nodiscard]] rank_id source() const noexcept { return am_token_source(raw_); }
  /// The pointer that endpoint::set_context has set.
  template <class T>
  [[nodiscard]] T* context() const noexcept {
    return static_cast<T*>(am_ep_context(raw_.ep));
  }
  /// The endpoint that runs this handler, for the C interface and for comparison.
  [[nodiscard]] am_ep* endpoint() const noexcept { return raw_.ep; }
  /// The token of the C interface.
  [[nodiscard]] am_token raw() const noexcept { return raw_; }

  /// A request to any rank, which leaves with the next poll: the one that a handler may make.
  /// again(queue): too many wait already, and nothing happened. One overload for each number of
  /// values. @{
  template <detail::with_values<0> auto Handler>
  [[nodiscard]] status later(rank_id to) const {
    return send_later<Handler>(to);
  }
  template <detail::with_values<1> auto Handler>
  [[nodiscard]] status later(rank_id to, detail::param<Handler, 0> a) const {
    return send_later<Handler>(to, a);
  }
  template <detail::with_values<2> auto Handler>
  [[nodiscard]] status later(rank_id to, detail::param<Handler, 0> a,
                             detail::param<Handler, 1> b) const {
    return send_later<Handler>(to, a, b);
  }
  template <detail::with_values<3> auto Handler>
  [[nodiscard]] status later(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b,
                             detail::param<Handler, 2> c) const {
    return send_later<Handler>(to, a, b, c);
  }
  template <detail::with_values<4> auto Handler>
  [[nodiscard]] status later(rank_id to, detail::param<Handler, 0> a, detail::param<Handler, 1> b,
                             detail::param<Handler, 2> c, detail::param<Handler, 3> d) const {
    return send_later<Handler>(to, a, b, c, d);
  }
  /// @}
  /// Chosen only when the values are wrong; explains it.
  template <auto Handler, class... Values, class = detail::if_values_mismatch<Handler, Values...>>
  [[nodiscard]] status later(rank_id, Values&&...) const {
    detail::check_handler<Handler, request_token>();
    detail::explain_values<Handler, Values...>();
    return {};
  }

 protected:
  /// From a token of the C interface.
  explicit token(am_token raw) noexcept : raw_(raw) {}
  ~token() = default;

 private:
  template <auto Handler, class... Values>
  [[nodiscard]] status send_later(rank_id to, const Values&... values) const {
    detail::check_handler<Handler, request_token>();
    static_assert(!detail::is_medium<Handler> && !detail::is_bulk<Handler>,
                  "am: a request for later carries words only, no payload");
    const auto w = detail::pack(values...);
    return status(
        am_ep_later(raw_.ep, to, &detail::entry_of<Handler>::entry, w[0], w[1], w[2], w[3]));
  }

  am_token raw_;
};

/// The token of a reply handler, which may not reply.
class reply_token : public token {
 public:
  /// From a token of the C interface.
  explicit reply_token(am_token raw) noexcept : token(raw) {}
  // Deleted here and not only in the base, so that every compiler passes it by reference.
  reply_token(const reply_token&) = delete;

  /// Does not compile, and says why.
  template <auto Handler, class... Values>
  void reply(Values&&...) const {
    static_assert(detail::always_false<std::tuple<Values...>>,
                  "am: a reply handler cannot reply: a reply cannot be answered");
  }
  /// Does not compile, and says why.
  template <auto Handler, class... Values>
  void reply_store(Values&&...) const {
    static_assert(detail::always_false<std::tuple<Values...>>,
                  "am: a reply handler cannot reply: a reply cannot be answered");
  }
  /// Does not compile, and says why.
  template <auto Handler, class... Values>
  void request(Values&&...) const {
    static_assert(detail::always_false<std::tuple<Values...>>,
                  "am: a handler cannot send requests; later<…>() does when it has ended");
  }
};

/// The token of a request handler: the right to answer, once.
class request_token : public token {
 public:
  /// From a token of the C interface.
  explicit request_token(am_token raw) noexcept : token(raw) {}
  request_token(const request_token&) = delete;

  /// Answers: runs Handler at the requester with these values; a payload, for a handler that takes
  /// one, comes first and has at most reply_room() bytes. Once, never waits. One overload for each
  /// number of values, so that they are converted as in an ordinary call and {…} makes a struct. @{
  template <detail::with_values<0> auto Handler>
  void reply() const {
    send<Handler>();
  }
  template <detail::with_values<1> auto Handler>
  void reply(detail::param<Handler, 0> a) const {
    send<Handler>(a);
  }
  template <detail::with_values<2> auto Handler>
  void reply(detail::param<Handler, 0> a, detail::param<Handler, 1> b) const {
    send<Handler>(a, b);
  }
  template <detail::with_values<3> auto Handler>
  void reply(detail::param<Handler, 0> a, detail::param<Handler, 1> b,
             detail::param<Handler, 2> c) const {
    send<Handler>(a, b, c);
  }
  template <detail::with_values<4> auto Handler>
  void reply(detail::param<Handler, 0> a, detail::param<Handler, 1> b, detail::param<Handler, 2> c,
             detail::param<Handler, 3> d) const {
    send<Handler>(a, b, c, d);
  }
  template <detail::with_values<5> auto Handler>
  void reply(detail::param<Handler, 0> a, detail::param<Handler, 1> b, detail::param<Handler, 2> c,
             detail::param<Handler, 3> d, detail::param<Handler, 4> e) const {
    send<Handler>(a, b, c, d, e);
  }
  /// @}
  /// Chosen only when the values are wrong; explains it.
  template <auto Handler, class... Values, class = detail::if_values_mismatch<Handler, Values...>>
  void reply(Values&&...) const {
    detail::check_handler<Handler, reply_token>();
    detail::explain_values<Handler, Values...>();
  }
  /// Answers with bytes for the requester's memory: Handler, `void(reply_token, void*, std::size_t,
  /// …)`, runs there when they are at `where`. Any number where this rank reaches that memory, as
  /// mostly over shm; otherwise at most reply_room().
  template <auto Handler, class... Values>
  void reply_store(void* where, bytes_in data, const Values&... values) const {
    detail::check(store<Handler>(where, data, values...));
  }
  /// The same, not throwing: argument(size) and argument(address) mean that nothing happened, and
  /// the handler may answer in another way.
  template <auto Handler, class... Values>
  [[nodiscard]] status try_reply_store(void* where, bytes_in data, const Values&... values) const {
    return status(store<Handler>(where, data, values...));
  }
  /// How many bytes the answer may have: the room that the request has taken.
  [[nodiscard]] std::size_t reply_room() const noexcept { return am_token_reply_room(raw()); }

  /// Does not compile, and says why.
  template <auto Handler, class... Values>
  void request(Values&&...) const {
    static_assert(detail::always_false<std::tuple<Values...>>,
                  "am: a handler cannot send requests; later<…>() does when it has ended");
  }

 private:
  template <auto Handler, class... Values>
  void send(const Values&... values) const {
    detail::check_handler<Handler, reply_token>();
    static_assert(!detail::is_bulk<Handler>,
                  "am: a handler of (token, void*, std::size_t, ...) takes bulk data: reply_store "
                  "it");
    if constexpr (detail::is_medium<Handler>) {
      send_medium<Handler>(values...);
    } else {
      const auto w = detail::pack(values...);
      detail::check(
          am_token_reply(raw(), &detail::entry_of<Handler>::entry, w[0], w[1], w[2], w[3]));
    }
  }
  template <auto Handler, class... Values>
  void send_medium(detail::payload data, const Values&... values) const {
    const auto w = detail::pack(values...);
    detail::check(am_token_reply_medium(raw(), &detail::entry_of<Handler>::entry, data.data(),
                                        data.size(), w[0], w[1], w[2], w[3]));
  }
  template <auto Handler, class... Values>
  [[nodiscard]] am_status store(void* where, bytes_in data, const Values&... values) const {
    const am_handler* h = detail::bulk_handler<Handler, reply_token>();
    const auto w = detail::pack_for<Handler, 2>(values...);
    return am_token_reply_store(raw(), where, data.data(), data.size(), h, w[0], w[1], w[2], w[3]);
  }
};

}  // namespace am
