// What a transport must be. One folder under transports/ for each; none knows another, and core
// knows none of them by name. A transport gets what it needs from `host` and is used by one thread.
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
struct host {
  am_rank rank;
  am_rank ranks;
  const base::settings& settings;
  boot& job;
  inbox& arrivals;
};

// A request to a dead peer of which nothing has been heard.
struct lost_request {
  std::uint32_t handler;
  const am_word* words;
  const void* data;  // its payload, if it had one
  std::size_t bytes;
  bool unknown;  // false: it certainly did not run
};
class mourner {
 public:
  virtual void lost(am_rank peer, const lost_request& request) noexcept = 0;
  // Its process has ended; false: it may live, and is only out of reach.
  [[nodiscard]] virtual bool has_died(am_rank peer) const noexcept = 0;

 protected:
  ~mourner() = default;
};

// The way towards one peer. Core sends only with a credit in hand (credits.free() > 0) and has
// already taken it: so a small request cannot fail.
//
// There is one account of credits for all ports of a pair, however many stand around each other: it
// lies in the innermost one, whose transport says there how many there are, books replies and
// `silent`, and holds the credit of a put that is under way without its notice. Core takes from it
// by whichever port it has, puts back what has not been sent, and shuts it.
//
// Nothing has a default here: a port that hands calls on to another (forwarding.hpp) must not give
// an answer of its own because nobody thought of it. Usual answers are in plain.hpp.
class port {
 public:
  port(const port&) = delete;
  port& operator=(const port&) = delete;
  virtual ~port() = default;

  virtual void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) noexcept = 0;

  // The same for a credit of a run; never called where none is started. Says AM_OK, so that core's
  // call can end in it. The last word comes first: the others then are in the same registers as in
  // am_ep_request, which has nothing to move.
  virtual am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                                am_word w2) noexcept = 0;

  // Copies the payload before it returns. again(payload): no room now, and nothing happened;
  // another status: there will never be any.
  virtual am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                std::size_t bytes) noexcept = 0;

  // As send_medium, with room for an answer, which core has taken and of which it gives no more out
  // than there is; null and no bytes: no payload either.
  virtual am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes, answer_place room) noexcept = 0;
  // From now on the room of all answers from the peer has so many bytes: asked before the first of
  // it is given out, and again where it is to grow.
  virtual am_status make_answer_room(std::size_t bytes) noexcept = 0;

  // A notice about bytes that stand in the target's memory already: its handler gets `where` and
  // `bytes`. Comes after all requests sent before.
  virtual void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                         std::size_t bytes) noexcept = 0;

  // Moves bytes into the peer's memory, with a notice behind them for which core has taken a
  // credit; it comes after all requests sent before. One that is at_once, of at most max_medium()
  // bytes, is never under way with its bytes unread, unless they stay. Requests of the meantime may
  // overtake one that is under way. Where it ends in any way but `done` its notice has not left,
  // and core puts the credit back. One that goes under way before its notice is sent has the credit
  // held until then (credits.hpp).
  virtual reach put(transfer& one) noexcept = 0;
  // Moves bytes out of the peer's memory. Takes no credit.
  virtual reach get(transfer& one) noexcept = 0;
  // The peer's word as this processor's atomic operations reach it; null: not at all.
  virtual am_word* word_at(am_word* where) noexcept = 0;

  // One look at what has come by this transport, before or after a send. Never waits and makes no
  // system call.
  virtual void look() noexcept = 0;

  // The look that a small request owes, right after its send; the transport may leave it out when
  // it has just looked. Says how many of the next requests to this peer owe none: a run, for core
  // to start.
  virtual std::uint32_t look_in_turn() noexcept = 0;

  // No credit is free: read `silent` anew and book it; the transport may also make more room.
  virtual void refresh() noexcept = 0;

  // The peer is dead and all that it had published has been delivered: tells of every request that
  // is not answered for, oldest first. Notices of puts under way are not among those that the
  // account has on their way. Nothing is sent here any more, and each transfer under way ends with
  // no_way as soon as nobody reads or writes its bytes: one of a port that streams, in this call.
  virtual void give_up(mourner& all) noexcept = 0;

  // ---- for people who ask why nothing moves ----

  // What there is to see of the peer's process: "pid 4711 is stopped"; empty: nothing.
  [[nodiscard]] virtual std::string about_peer() const = 0;
  // Where the requests to this peer stand that may be unanswered, for the whole life of the port.
  [[nodiscard]] virtual request_ring exposed() const noexcept = 0;
  // What there is to say of the way itself, where the transport has more than one: "encrypted";
  // empty: its name says all.
  [[nodiscard]] virtual std::string about_way() const = 0;

  // ---- what its transport can, without asking that; whether it wakes it says itself ----

  [[nodiscard]] capabilities way_can() const noexcept { return way_can_; }
  [[nodiscard]] bool streams() const noexcept { return way_can_.has(capability::streams); }

  // A request may be sent by send_in_run: its credit is taken. Runs lie in the port's own account
  // alone, so that core finds one without asking where the account is.
  [[nodiscard]] bool take_from_run() noexcept { return account_.take_from_run(); }
  void start_run(std::uint32_t length) noexcept { account_.start_run(length); }

  // Takes a credit of the pair, if there is one.
  [[nodiscard]] bool take_credit() noexcept {
    return account_.take_if_free() || credits.take_if_free();
  }

  const am_rank peer;

 private:
  const capabilities way_can_;

 protected:
  port(am_rank to, capabilities of_way) noexcept : peer(to), way_can_(of_way), credits(account_) {}
  // A port around another one, whose account it shows; its own stays empty.
  port(am_rank to, capabilities of_way, sender_credits& of_another) noexcept
      : peer(to), way_can_(of_way), credits(of_another) {}

  // The port's own, for the transport: `credits` without the way there.
  sender_credits account_;

 public:
  // The account of the pair.
  sender_credits& credits;
};

// As of port, nothing has a default here.
class transport {
 public:
  virtual ~transport() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  // What a peer needs to reach this rank: opaque to everyone else.
  [[nodiscard]] virtual std::vector<std::byte> address() const = 0;

  // The way to `peer`, once; or null and one line that says why not. Null and no line: the peer has
  // yet to answer; poll, and ask again.
  virtual port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) = 0;

  [[nodiscard]] virtual capabilities can() const noexcept = 0;

  // Delivers at most `budget` messages and says how many. Before it returns 0 it has published all
  // that it owes (credits.hpp).
  virtual unsigned poll(unsigned budget) noexcept = 0;

  // Delivers what a dead peer had published, at most `budget` messages; fewer than that: it was
  // all. From then on nothing more comes from there. Asked once more when a peer dies that had only
  // been out of reach: no transfer of it comes to its end any more.
  virtual unsigned last_words(am_rank peer, unsigned budget) noexcept = 0;

  // The most bytes that send_medium takes.
  [[nodiscard]] virtual std::size_t max_medium() const noexcept = 0;

  // Memory of this rank that peers reach without its help; asked only of a transport that can have
  // some (capability::segments). Null comes with the error's line.
  virtual void* make_segment(std::size_t bytes) noexcept = 0;
  virtual void free_segment(void* address) noexcept = 0;  // if it has made that
  // Memory of this rank that another transport has made: peers may reach it this way, too, until
  // they are told not to. True: some have yet to hear of that; ask again before it is freed.
  virtual void adopt_segment(void* address, std::size_t bytes) noexcept = 0;
  virtual bool abandon_segment(void* address) noexcept = 0;

  // Hands all that was accepted to the system. AM_AGAIN_CONNECTING: it takes no more now; poll, and
  // ask again.
  virtual am_status flush() noexcept = 0;

  // This rank leaves in good order: nothing is on its way to it or from it.
  virtual void leave() noexcept = 0;

  // ---- sleeping ----

  // Becomes readable when something may have come to a rank that has armed; -1 of a transport that
  // does not wake (capability::wakes).
  [[nodiscard]] virtual int wake_descriptor() const noexcept = 0;

  // Before this rank sleeps. Publishes all that it owes, and says for how long its sleep is safe:
  // 0, something is there, so poll first; the longest time, the descriptor will become readable
  // when something comes, a credit or room too; else a peer may come without a sign.
  virtual std::chrono::nanoseconds arm() noexcept = 0;
  // This rank is awake again; arming once more or polling does without it, a little dearer.
  virtual void disarm() noexcept = 0;
};

// How core gets one: null and one line if it cannot serve on this machine.
using make_transport = std::unique_ptr<transport>(const host& host, std::string& why);

}  // namespace am::detail::seam
