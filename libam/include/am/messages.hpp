/// @file
/// Two-sided messages: a receive takes the message that was sent to it, by source and tag, as in
/// MPI. On the calls of am.hpp and team.hpp alone; a program may mix all three.
///
///     am::messages::mailbox m(ep);                      // collective
///     m.send(1, tag, values);                           // of a vector, an array, a span
///     auto got = m.recv(0, tag, room);                  // source, tag, bytes, outcome
///     auto r = m.irecv(am::messages::any_source, tag, room);
///     … compute …
///     am::messages::wait(r);
///
/// Messages from one rank to another are matched in the order of their sends, receives in the order
/// of their posts. A message of at most limits::eager bytes leaves at once, and its send has ended
/// then; a longer one, or one for which its receiver has no memory left, waits for its receive,
/// which fetches it from the sender's memory. No call waits for another one's receive but send,
/// ssend and the waits.
///
/// What is wrong with one message is in its status: truncation, a rank that has died. What is wrong
/// with a call is am::error. Only its endpoint's owner may use a mailbox, outside of handlers; with
/// AM_PROGRESS=thread, where a thread of libam's owns the endpoint, any thread may.
/// docs/messages.md has the rules, and what MPI's calls are here.
#pragma once

#include <am/detail/messages_request.hpp>
#include <am/team.hpp>

#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace am::detail::messages {

template <class Array>
inline constexpr bool is_span = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;

}  // namespace am::detail::messages

namespace am::messages {

/// For a receive: of any source, or with any tag. @{
inline constexpr rank_id any_source = detail::messages::any_source;
inline constexpr std::int32_t any_tag = detail::messages::any_tag;
/// @}

/// What a message may consist of: a vector, an array, a span of trivially copyable values. One that
/// is sent or received after the call has returned must not be a temporary, except a span.
template <class Array>
concept values = detail::team_span<Array> &&
    std::is_trivially_copyable_v<std::remove_const_t<detail::team_element<Array>>>;
/// The same, to receive into.
template <class Array>
concept room = values<Array> && !std::is_const_v<detail::team_element<Array>>;

/// Some ranks of a job that send each other messages, apart from those of every other mailbox.
class mailbox {
 public:
  /// Of the ranks of a team, with their numbers there. Collective: returns when every rank of it
  /// has called it. The team need not live longer.
  explicit mailbox(team& members, limits most = {}) {
    detail::messages::on_owner(detail::messages::registry_of(members.endpoint()),
                               [&] { open(members, most); });
    start_thread();
  }
  /// Of all ranks of the job. Collective.
  explicit mailbox(const endpoint& ep, limits most = {}) {
    detail::messages::on_owner(detail::messages::registry_of(ep.raw()), [&] {
      team all(ep);
      open(all, most);
    });
    start_thread();
  }
  /// Not copied or moved: requests refer to it.
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  /// Cancels the receives that have no message, and waits for everything else that has begun. Not
  /// collective. Messages that no receive has taken are gone.
  ~mailbox() { close(); }

  /// This rank's number in it.
  [[nodiscard]] rank_id rank() const noexcept { return at_->me; }
  /// How many ranks it has.
  [[nodiscard]] rank_id ranks() const noexcept { return static_cast<rank_id>(at_->members.size()); }
  /// What all ranks have agreed on.
  [[nodiscard]] const limits& most() const noexcept { return at_->most; }

  /// Calls f() on the thread that owns the endpoint, and returns what it returns: with
  /// AM_PROGRESS=thread the way to all that is no call of a mailbox. Otherwise an ordinary call.
  template <class Function>
  auto run(Function&& f) {
    return detail::messages::on_owner(at_->registry, f);
  }

  // ---- sends ----

  /// Sends; returns when `data` may be used again. @{
  template <values Array>
  status send(rank_id to, std::int32_t tag, const Array& data) {
    return send_now("send", to, tag, std::as_bytes(std::span(data)), mode::standard);
  }
  /// Returns when the message is matched.
  template <values Array>
  status ssend(rank_id to, std::int32_t tag, const Array& data) {
    return send_now("ssend", to, tag, std::as_bytes(std::span(data)), mode::synchronous);
  }
  /// The receive has to be posted: otherwise a debug build refuses the message.
  template <values Array>
  status rsend(rank_id to, std::int32_t tag, const Array& data) {
    return send_now("rsend", to, tag, std::as_bytes(std::span(data)), ready_mode);
  }
  /// @}

  /// The same, returning at once. @{
  template <values Array>
  [[nodiscard]] request isend(rank_id to, std::int32_t tag, Array&& data) {
    return begin_send("isend", to, tag, std::as_bytes(lasting<Array>(data)), mode::standard);
  }
  template <values Array>
  [[nodiscard]] request issend(rank_id to, std::int32_t tag, Array&& data) {
    return begin_send("issend", to, tag, std::as_bytes(lasting<Array>(data)), mode::synchronous);
  }
  template <values Array>
  [[nodiscard]] request irsend(rank_id to, std::int32_t tag, Array&& data) {
    return begin_send("irsend", to, tag, std::as_bytes(lasting<Array>(data)), ready_mode);
  }
  /// @}

  // ---- receives ----

  /// Receives a message of this source and tag, or of any, that has at most the bytes of `into`.
  template <room Array>
  status recv(rank_id from, std::int32_t tag, Array&& into) {
    request one = irecv(from, tag, std::span(into));
    return one.wait();
  }
  /// The same, returning at once.
  template <room Array>
  [[nodiscard]] request irecv(rank_id from, std::int32_t tag, Array&& into) {
    const auto whole = lasting<Array>(into);
    return begin_receive(from, tag, std::as_writable_bytes(whole), sizeof whole[0]);
  }
  /// Sends and receives at the same time; returns the status of the receive, or of a send that is
  /// not ok.
  template <values Out, room In>
  status sendrecv(rank_id to, std::int32_t tag, const Out& data, rank_id from,
                  std::int32_t tag_from, In&& into) {
    (void)job_rank("sendrecv", to);
    check_tag("sendrecv", tag, 0);
    request receive = irecv(from, tag_from, std::span(into));
    const status sent = send(to, tag, data);
    receive.wait();
    return sent.ok() ? receive.result() : sent;
  }

  /// Waits for a message that such a receive would take, and leaves it.
  [[nodiscard]] status probe(rank_id from, std::int32_t tag) {
    detail::messages::posted by;
    by.from = source("probe", from);
    by.with = check_tag("probe", tag, any_tag);
    std::optional<status> found;
    detail::messages::wait_anywhere(*at_, [&] {
      return run([&] {
        found = find(by);
        return found.has_value() || at_->is_dead(by.from);
      });
    });
    return found.value_or(status{from, tag, 0, outcome::dead});
  }
  /// Polls; nothing if no such message has come and the source is alive.
  [[nodiscard]] std::optional<status> iprobe(rank_id from, std::int32_t tag) {
    detail::messages::posted by;
    by.from = source("iprobe", from);
    by.with = check_tag("iprobe", tag, any_tag);
    return run([&] {
      detail::messages::poll_once(*at_);
      const std::optional<status> found = find(by);
      if (found || !at_->is_dead(by.from)) return found;
      return std::optional(status{from, tag, 0, outcome::dead});
    });
  }

 private:
  using mode = detail::messages::send_mode;
#if defined(NDEBUG)
  static constexpr mode ready_mode = mode::standard;
#else
  static constexpr mode ready_mode = mode::ready;
#endif

  template <class Array>
  static auto lasting(std::remove_reference_t<Array>& array) {
    static_assert(std::is_lvalue_reference_v<Array> || detail::messages::is_span<Array>,
                  "am: the array must live until the request has ended: not a temporary");
    return std::span(array);
  }

  void open(team& members, const limits& wanted);
  void start_thread();
  void close() noexcept;

  [[nodiscard]] rank_id job_rank(const char* call, rank_id to) const {
    if (to < at_->members.size()) [[likely]]
      return at_->members[to];
    refuse(AM_ARGUMENT_RANK, call, "rank", to, "this mailbox has ranks 0 to", ranks() - 1);
  }
  [[nodiscard]] rank_id source(const char* call, rank_id from) const {
    return from == any_source ? from : job_rank(call, from);
  }
  static std::int32_t check_tag(const char* call, std::int32_t tag, std::int32_t least) {
    if (tag >= least) [[likely]]
      return tag;
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    refuse(AM_ARGUMENT_SIZE, call, "tag", tag, "a tag is 0 to", most);
  }
  [[nodiscard]] std::optional<status> find(const detail::messages::posted& by) const noexcept {
    const auto* const found =
        static_cast<const detail::messages::kept_message*>(at_->match.find_kept(by));
    if (found == nullptr) return std::nullopt;
    return status{at_->number_of(found->source), found->tag, found->bytes, outcome::ok};
  }

  [[noreturn]] static void refuse(am_status why, const char* call, const char* what,
                                  std::int64_t value, const char* rule, std::int64_t most) {
    const auto line = std::string(call) + " with " + what + ' ' + std::to_string(value) + ": " +
                      rule + ' ' + std::to_string(most);
    throw error(why, line.c_str());
  }

  // True: it has left, and nothing of it is open.
  bool sent_at_once(rank_id to, std::int32_t tag, bytes_in data, mode how) {
    detail::messages::pair& with = at_->pairs[to];
    return how == mode::standard && with.waiting.first() == nullptr &&
           detail::messages::is_eager(*at_, with, data.size()) &&
           detail::messages::try_eager(*at_, to, tag, data.data(), data.size(), nullptr, false) ==
               am_status{};
  }
  status send_now(const char* call, rank_id to, std::int32_t tag, bytes_in data, mode how) {
    const rank_id target = job_rank(call, to);
    check_tag(call, tag, 0);
    if (detail::messages::is_owner(at_->registry) && sent_at_once(target, tag, data, how))
        [[likely]]
      return {rank(), tag, data.size(), outcome::ok};
    return run([&] { return begin_send_here(target, tag, data, how); }).wait();
  }
  request begin_send(const char* call, rank_id to, std::int32_t tag, bytes_in data, mode how) {
    const rank_id target = job_rank(call, to);
    check_tag(call, tag, 0);
    return run([&] {
      if (sent_at_once(target, tag, data, how)) [[likely]]
        return request(status{rank(), tag, data.size(), outcome::ok});
      return begin_send_here(target, tag, data, how);
    });
  }
  request begin_send_here(rank_id target, std::int32_t tag, bytes_in data, mode how) {
    detail::messages::operation& one = detail::messages::take_operation(*at_);
    one.is_send = true;
    one.mode = how;
    one.with = tag;
    one.data = data.data();
    one.bytes = data.size();
    one.result = {rank(), tag, data.size(), outcome::ok};
    return begin(one, [&] { detail::messages::begin_send(one, target); });
  }
  template <class Start>
  static request begin(detail::messages::operation& one, Start&& start) {
    request begun(one);
    try {
      start();
    } catch (...) {
      detail::messages::end_operation(one, outcome::failed);
      throw;
    }
    return begun;
  }
  request begin_receive(rank_id from, std::int32_t tag, bytes_out into, std::size_t element) {
    const rank_id source_of = source("irecv", from);
    check_tag("irecv", tag, any_tag);
    return run([&] { return begin_receive_here(source_of, tag, into, element); });
  }
  request begin_receive_here(rank_id source_of, std::int32_t tag, bytes_out into,
                             std::size_t element) {
    detail::messages::operation& one = detail::messages::take_operation(*at_);
    one.is_send = false;
    one.from = source_of;
    one.with = tag;
    one.room = into.data();
    one.bytes = into.size();
    one.element = element;
    return begin(one, [&] { detail::messages::begin_receive(one); });
  }
  detail::messages::mailbox_state* at_ = nullptr;
  int unwinding_ = std::uncaught_exceptions();
};

inline void mailbox::open(team& members, const limits& wanted) {
  am_ep* const ep = members.endpoint();
  detail::messages::mailbox_registry& all = detail::messages::registry_of(ep);
  // The members agree on a context that each has free, and on the smallest limits.
  detail::messages::context_bits free = detail::messages::free_contexts(all);
  members.all_reduce(free, std::bit_and<>());
  constexpr std::size_t of_all = std::size_t{64} << 20;
  const std::size_t kept =
      wanted.kept != limits::automatic
          ? wanted.kept
          : std::clamp<std::size_t>(of_all / members.ranks(), 64 << 10, 1 << 20);
  std::array<std::size_t, 3> least{std::min(wanted.eager, am_ep_max_medium(ep)), kept,
                                   std::max<std::size_t>(wanted.offers, 1)};
  members.all_reduce(least, [](std::size_t a, std::size_t b) { return std::min(a, b); });
  const std::size_t context = detail::messages::lowest_of(free);
  if (context == detail::messages::most_mailboxes) {
    const auto line = "a mailbox: the ranks have " + std::to_string(context) + " already";
    throw error(AM_ARGUMENT_SIZE, line.c_str());
  }
  const std::uint32_t used = members.all_reduce(
      all.generations[context], [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  all.generations[context] = used + 1;
  all.posted_round = &detail::messages::run_posted_round;
  std::vector<rank_id> ranks(members.ranks());
  for (rank_id i = 0; i < members.ranks(); ++i) ranks[i] = members.job_rank(i);
  auto made = std::make_unique<detail::messages::mailbox_state>(
      all, ep, static_cast<std::uint16_t>(context), static_cast<std::uint8_t>(used % 128),
      std::move(ranks), members.rank(), limits{least[0], least[1], least[2]});
  all.add(*made);
  at_ = made.release();
  try {
    members.barrier();  // no message comes before its mailbox_state
    detail::messages::find_deaths(*at_);
  } catch (...) {
    detail::messages::close_mailbox(*at_, true);
    throw;
  }
}

inline void mailbox::start_thread() {
  detail::messages::mailbox_registry& all = at_->registry;
  if (all.thread != nullptr || am_ep_wants_thread(at_->ep) == 0) return;
  try {
    detail::messages::start_thread(all);
  } catch (...) {
    close();
    throw;
  }
}

// On the thread itself the last mailbox cannot end it: it goes on until the next one ends
// elsewhere.
inline void mailbox::close() noexcept {
  detail::messages::mailbox_registry& all = at_->registry;
  const bool unwinds = std::uncaught_exceptions() > unwinding_;
  const bool elsewhere = !detail::messages::is_owner(all);
  const bool ends_thread = run([&] {
    detail::messages::close_mailbox(*at_, unwinds);
    if (!elsewhere || !all.is_empty()) return false;
    all.thread->stops = true;
    return true;
  });
  if (ends_thread) detail::messages::join_thread(all);
}

}  // namespace am::messages
