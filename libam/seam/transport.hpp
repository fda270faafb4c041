// What a transport must be. One folder under transports/ for each; none knows another, and core
// knows none of them by name. A transport gets what it needs from its transport_context, and one
// thread uses it.
#pragma once

#include <libam/seam/boot.hpp>
#include <libam/seam/capabilities.hpp>
#include <libam/seam/credits.hpp>
#include <libam/seam/inbox.hpp>
#include <libam/seam/snapshot.hpp>
#include <libam/seam/transfer.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::base {
struct settings;
}

namespace am::detail::seam {

// What a transport is given.
struct transport_context {
  am_rank rank;
  am_rank ranks;
  const base::settings& settings;
  boot& job;
  inbox& arrivals;
};

// An unanswered request to a peer that is dead or lost.
struct lost_request {
  std::uint32_t handler;
  const am_word* words;
  const void* data;  // its payload, if it had one
  std::size_t bytes;
  bool unknown;  // false: it certainly did not run
};
class failure_sink {
 public:
  virtual void on_lost_request(am_rank peer, const lost_request& request) noexcept = 0;
  // Its process has ended; false: it may live, and is only unreachable.
  [[nodiscard]] virtual bool has_died(am_rank peer) const noexcept = 0;

 protected:
  ~failure_sink() = default;
};

// The route to one peer. Core sends only with a credit in hand (credits.free() > 0) and has already
// taken it: so a small request cannot fail.
//
// There is one account of credits for all ports of a pair, however many wrap each other: it is in
// the innermost one, whose transport sets how many there are, books replies and `silent`, and holds
// the credit of a put that is under way without its notice. Core takes from it by the port that it
// has, puts back what has not been sent, and shuts it.
//
// Nothing has a default here: a port that forwards calls to another (forwarding.hpp) must not
// handle one itself because it was forgotten there. Default implementations are in plain.hpp.
class port {
 public:
  port(const port&) = delete;
  port& operator=(const port&) = delete;
  virtual ~port() = default;

  virtual void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) noexcept = 0;

  // The same for a credit of a run; never called where none is started. Returns AM_OK, so that
  // core's call can end in it. The last word comes first: the others then are in the same registers
  // as in am_ep_request, which has nothing to move.
  virtual am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                                am_word w2) noexcept = 0;

  // Copies the payload before it returns. again(payload): no room now, and nothing happened;
  // another status: there will never be any.
  virtual am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                std::size_t bytes) noexcept = 0;

  // As send_medium, with room for an answer, which core has taken, and never more of it than there
  // is; null and no bytes: no payload either.
  virtual am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes, answer_place room) noexcept = 0;
  // From now on the room of all answers from the peer has `bytes`: called before a request takes
  // any of it, and again where it is to grow.
  virtual am_status make_answer_room(std::size_t bytes) noexcept = 0;

  // A notice about bytes that are already in the target's memory: its handler gets `where` and
  // `bytes`. It arrives after all requests sent before.
  virtual void send_notice(std::uint32_t handler, const am_word* words, void* where,
                           std::size_t bytes) noexcept = 0;

  // Moves bytes into the peer's memory, with a notice behind them for which core has taken a
  // credit; it arrives after all requests sent before. One that is at_once, of at most max_medium()
  // bytes, is never under way with its bytes unread, unless its source is stable. Later requests
  // may overtake one that is under way. If its status at the end is not `done`, its notice has not
  // left, and core puts the credit back. While one is under way and its notice is not sent, the
  // credit is held (credits.hpp).
  virtual transfer_status put(transfer& one) noexcept = 0;
  // Moves bytes out of the peer's memory. Takes no credit.
  virtual transfer_status get(transfer& one) noexcept = 0;
  // The peer's word, mapped for this processor's atomic operations; null: it is not mapped here.
  virtual am_word* mapped_word(am_word* where) noexcept = 0;

  // Delivers what has come by this transport, before or after a send. Never waits and makes no
  // system call.
  virtual void poll_once() noexcept = 0;

  // The poll that follows the send of a small request; the transport may leave it out when it has
  // just polled. Returns how many of the next requests to this peer need none: a run, for core to
  // start.
  virtual std::uint32_t poll_after_send() noexcept = 0;

  // No credit is free: read `silent` anew and book it; the transport may also make more room.
  virtual void refresh_credits() noexcept = 0;

  // The peer is dead or lost, and all that it had published has been delivered: reports every
  // unanswered request, oldest first. Notices of puts under way are not in flight in the account.
  // Nothing is sent here any more, and each transfer under way ends with `unsupported` as soon as
  // its bytes are no longer read or written: one of a port that streams, in this call.
  virtual void fail_pending(failure_sink& sink) noexcept = 0;

  // ---- for reports of stalls ----

  // The state of the peer's process, if it is of interest: "pid 4711 is stopped"; empty: it is not.
  [[nodiscard]] virtual std::string describe_peer() const = 0;
  // Where the slots of requests to this peer are that may be unanswered, for the life of the port.
  [[nodiscard]] virtual request_ring request_ring_view() const noexcept = 0;
  // The kind of route, where the transport has more than one: "encrypted"; empty: its name is
  // enough.
  [[nodiscard]] virtual std::string describe_route() const = 0;

  // ---- its transport's capabilities, without a call of it; but `wakes` is in transport::caps() --

  [[nodiscard]] capabilities route_caps() const noexcept { return route_caps_; }
  [[nodiscard]] bool streams() const noexcept { return route_caps_.has(capability::streams); }

  // True: a request may be sent by send_in_run; its credit is taken. Runs are in the port's own
  // account alone, so that core finds one without the indirection of `credits`.
  [[nodiscard]] bool take_from_run() noexcept { return account_.take_from_run(); }
  void start_run(std::uint32_t length) noexcept { account_.start_run(length); }

  // Takes a credit of the pair, if one is free.
  [[nodiscard]] bool take_credit() noexcept {
    return account_.take_if_free() || credits.take_if_free();
  }

  const am_rank peer;

 private:
  const capabilities route_caps_;

 protected:
  port(am_rank to, capabilities of_route) noexcept
      : peer(to), route_caps_(of_route), credits(account_) {}
  // A port that wraps another one, whose account it uses; its own stays empty.
  port(am_rank to, capabilities of_route, sender_credits& of_another) noexcept
      : peer(to), route_caps_(of_route), credits(of_another) {}

  // The port's own account, for the transport: `credits` without the indirection.
  sender_credits account_;

 public:
  // The account of the pair.
  sender_credits& credits;
};

// The two kinds of messages between two ranks.
enum class message_class : std::uint8_t { request, answer };

// As in port, nothing has a default here.
class transport {
 public:
  virtual ~transport() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  // What a peer needs to reach this rank: opaque to all but the same transport.
  [[nodiscard]] virtual std::vector<std::byte> address() const = 0;

  // The port to `peer`, once; or null and one line that says why not. Null and no line: the peer
  // has yet to answer; poll, and call again.
  virtual port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) = 0;

  [[nodiscard]] virtual capabilities caps() const noexcept = 0;

  // Delivers at most `budget` messages and returns how many. Before it returns 0 it has published
  // all unpublished counts (credits.hpp).
  virtual unsigned poll(unsigned budget) noexcept = 0;

  // ---- delivery by a wrapper that decides when each message is due; it does not call poll() ----

  // All that a poll does but deliver: sends what was kept back, publishes counts, and reads what
  // has come as far as no handler has to run.
  virtual void advance() noexcept = 0;
  // The peer's next message of that class has come; where both classes come in one stream, its next
  // message. The caller expects one, so the transport looks for it.
  [[nodiscard]] virtual bool has_come(am_rank peer, message_class which) noexcept = 0;
  // Delivers at most so many messages of one peer and one class, and returns how many; where both
  // come in one stream, the caller knows that the next ones are of that class. Answers that wait
  // for others are sent by the next advance() or flush().
  virtual unsigned deliver_from(am_rank peer, message_class which, unsigned most) noexcept = 0;

  // Delivers what a dead peer had published, at most `budget` messages; fewer than that: it was
  // all. From then on nothing more comes from there. Called once more when a peer dies that had
  // only been unreachable: no transfer of it completes any more.
  virtual unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept = 0;

  // The most bytes that send_medium takes.
  [[nodiscard]] virtual std::size_t max_medium() const noexcept = 0;

  // Memory of this rank that peers reach without its help; called only with
  // capability::segments. Null: the error's line says why.
  virtual void* make_segment(std::size_t bytes) noexcept = 0;
  virtual void free_segment(void* address) noexcept = 0;  // if it has made that
  // Memory of this rank that another transport has made: peers may reach it by this one, too, until
  // it is deregistered. True: some peers have yet to learn of that; call again before it is freed.
  virtual void register_segment(void* address, std::size_t bytes) noexcept = 0;
  virtual bool deregister_segment(void* address) noexcept = 0;

  // Hands all that was accepted to the system. AM_AGAIN_CONNECTING: it takes no more now; poll, and
  // call again.
  virtual am_status flush() noexcept = 0;

  // This rank leaves in good order: nothing is in flight to it or from it.
  virtual void leave() noexcept = 0;

  // ---- sleeping ----

  // Becomes readable when something may have come to a rank that has armed; -1 without
  // capability::wakes.
  [[nodiscard]] virtual int wake_descriptor() const noexcept = 0;

  // Before this rank sleeps. Publishes all unpublished counts, and returns for how long its sleep
  // is safe: 0, something is there, so poll first; the longest time, the descriptor will become
  // readable when something comes, a credit or room, too; else a message may come without an event.
  virtual std::chrono::nanoseconds arm() noexcept = 0;
  // This rank is awake again. A poll, or another arm(), without this call is right but costs more.
  virtual void disarm() noexcept = 0;
};

// Makes a transport: null and one line if it cannot serve on this machine.
using make_transport_fn = std::unique_ptr<transport>(const transport_context& context,
                                                     std::string& why);

}  // namespace am::detail::seam
