#include <transports/tcp/tcp.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <transports/tcp/connect/descriptor_limit.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

// A peer that has sent something sends again soon, more often than not.
constexpr auto active_time = 50us;
constexpr unsigned receives_before_unwatch = 32;

// On one host all bytes in flight are in this machine's memory: few enough to stay in the caches
// (docs/performance.md).
constexpr int loopback_send_buffer = 512 * 1024;

void limit_send_buffer(int socket) noexcept {
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &loopback_send_buffer,
                     sizeof loopback_send_buffer);
}

}  // namespace

tcp_transport::tcp_transport(const seam::transport_context& context, const seam::job_secret& secret,
                             epoll_set sockets, std::vector<base::fd> listeners)
    : context_(context),
      me_{secret, context.rank, context.ranks, context.settings.tcp_crypt},
      sockets_(std::move(sockets)),
      acceptor_(std::move(listeners), sockets_, me_, context.arrivals.refused_connections),
      dialler_(sockets_, me_, context.settings.peer_timeout),
      keepalive_(context.settings.peer_timeout),
      peers_(context) {
  if (context.settings.fault.affects_network()) fault_injector_.emplace(context);
}

// end() shuts a connection down, so the other end sees that even where a forked child has a copy.
tcp_transport::~tcp_transport() {
  peers_.for_each([&](channel& one) {
    if (leaving_) one.send_goodbye();
    one.end();
  });
}

std::vector<std::byte> tcp_transport::address() const {
  rank_address own{me_.encrypts, {}};
  for (const base::fd& listener : acceptor_.listeners())
    if (const auto here = tcp::address::local_of(listener.get())) own.addresses.push_back(*here);
  return own.encode();
}

// ---- contact ------------------------------------------------------------------------------------

seam::port* tcp_transport::connect(am_rank peer, std::span<const std::byte> address,
                                   std::string& why) {
  const auto theirs = rank_address::decode(address);
  if (!theirs || theirs->addresses.empty()) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  if (theirs->encrypts != me_.encrypts) {
    why = base::format("AM_TCP_CRYPT is {:d} at rank {} and {:d} here: give all ranks the same",
                       theirs->encrypts, peer, me_.encrypts);
    return nullptr;
  }
  if (peer == context_.rank) {
    why = "it reaches other ranks only: AM_TRANSPORT leaves self out";
    return nullptr;
  }
  channel& found = channel_to(peer);
  // Over a connection that is lost already, messages return when that is reported.
  if (found.current_state() == channel::state::connecting && !dialler_.is_connecting_to(peer))
    dialler_.connect(peer, theirs->addresses, clock::now());
  return &found;
}

channel& tcp_transport::channel_to(am_rank peer) {
  if (!std::exchange(descriptor_limit_raised_, true)) raise_descriptor_limit(context_.ranks - 1);
  return peers_.find_or_make(peer, [&] {
    return std::make_unique<channel>(context_, peer, peers_, static_cast<channel_manager&>(*this),
                                     fault_injector_ ? &*fault_injector_ : nullptr);
  });
}

// `how`: the words before the peer's address in the log.
void tcp_transport::establish(am_rank peer, tcp_link made, std::string_view how) {
  channel& with = peers_[peer];
  if (with.current_state() != channel::state::connecting) return sockets_.close(made.take_socket());
  if (!sockets_.watch(made.socket(), socket_kind::channel, peer, false))
    return with.lose(base::format("epoll_ctl: {}", base::errno_text(errno)),
                     packed::loss_cause::error);
  if (const auto far = tcp::address::remote_of(made.socket())) {
    base::log(base::log_level::info, "tcp: rank {} {} {}{}", peer, how, far->text(),
              me_.encrypts ? ", encrypted" : "");
    if (far->is_loopback()) limit_send_buffer(made.socket());
  }
  keepalive_.add(peer, made.socket());
  with.open(std::move(made));
}

// Both may be connecting. The attempt of the lower rank is used once the other may have sent its
// welcome: before that it can be dropped, and it may lead nowhere, or to a stranger. The higher
// rank drops its own when the lower one connects, which the other end may learn late. A pair once
// lost stays lost: one end has given up its messages.
void tcp_transport::advance_incoming(std::uint32_t number) {
  const auto peer = acceptor_.advance(number);
  if (!peer) return;
  channel& with = channel_to(*peer);
  const bool keep_own = with.current_state() == channel::state::open ||
                        (dialler_.may_be_welcome(*peer) && context_.rank < *peer);
  if (keep_own) return acceptor_.reject(number, verdict::crossed);
  if (with.current_state() != channel::state::connecting)
    return acceptor_.reject(number, verdict::lost);
  std::optional<tcp_link> made = acceptor_.accept(number);
  if (!made) return;
  dialler_.cancel(*peer);
  establish(*peer, std::move(*made), "has connected from");
}

// ---- sending ------------------------------------------------------------------------------------

void tcp_transport::close(base::fd socket) noexcept {
  keepalive_.remove(socket.get());
  sockets_.close(std::move(socket));
}

void tcp_transport::set_write_interest(channel& one, bool blocked) noexcept {
  (void)sockets_.watch(one.socket(), socket_kind::channel, one.peer, blocked);
  const auto active = std::ranges::find(active_channels_, &one, &active_channel::chan);
  if (active == active_channels_.end()) return;
  active->in_epoll = true;
  active->receive_count = 0;
}

am_status tcp_transport::flush() noexcept {
  peers_.send_open_frames();
  const auto is_unflushed = [](const channel& one) {
    return one.current_state() <= channel::state::open && !one.is_flushed();
  };
  return peers_.any(is_unflushed) ? AM_AGAIN_CONNECTING : AM_OK;
}

// ---- receiving ----------------------------------------------------------------------------------

unsigned tcp_transport::poll(unsigned budget) noexcept {
  peers_.send_open_frames();
  const bool is_quiet =
      active_channels_.empty() && !peers_.any_unpublished() && peers_.losses.empty();
  if (is_quiet && !backoff_.should_read_clock()) return 0;
  const clock::time_point now = clock::now();
  const bool sockets_due = backoff_.due(now);  // checking them is a system call
  unsigned taken = poll_active_channels(now, budget);
  if (sockets_due) taken += poll_sockets(now, budget - taken);
  peers_.losses.report_due(now);
  if (taken == 0)
    peers_.publish_all();
  else
    backoff_.record_activity(now);
  return taken;
}

unsigned tcp_transport::take_from(channel& one, unsigned budget) noexcept {
  return budget == 0 ? 0 : one.take_messages(budget);
}

// The one that uses up the budget is read last next time.
unsigned tcp_transport::poll_active_channels(clock::time_point now, unsigned budget) noexcept {
  unsigned taken = 0;
  for (std::size_t i = 0; i < active_channels_.size() && taken < budget; ++i) {
    if (next_active_ >= active_channels_.size()) next_active_ = 0;
    active_channel& one = active_channels_[next_active_++];
    const unsigned from_this = take_from(*one.chan, budget - taken);
    if (from_this != 0) on_channel_input(one, now);
    taken += from_this;
  }
  if (taken != budget) drop_inactive_channels(now);
  return taken;
}

// Those without recent input have nothing buffered that the epoll set would not report.
void tcp_transport::drop_inactive_channels(clock::time_point now) noexcept {
  std::erase_if(active_channels_, [&](active_channel& one) {
    if (one.chan->current_state() != channel::state::open) return true;
    if (now - one.last_input <= active_time || one.chan->has_more()) return false;
    rewatch(one);
    return true;
  });
}

// A socket that is read at every poll leaves the epoll set, unless it also waits to be written:
// being watched costs the sender a call for each packet.
void tcp_transport::on_channel_input(active_channel& one, clock::time_point now) noexcept {
  one.last_input = now;
  if (++one.receive_count < receives_before_unwatch || !one.in_epoll || one.chan->is_blocked() ||
      one.chan->current_state() != channel::state::open)
    return;
  sockets_.unwatch(one.chan->socket());
  one.in_epoll = false;
}

void tcp_transport::rewatch(active_channel& one) noexcept {
  if (std::exchange(one.in_epoll, true) || one.chan->current_state() != channel::state::open)
    return;
  set_write_interest(*one.chan, one.chan->is_blocked());
  one.receive_count = 0;
}

unsigned tcp_transport::poll_sockets(clock::time_point now, unsigned budget) noexcept {
  unsigned taken = 0;
  sockets_.poll([&](const socket_event& one) {
    switch (one.what) {
      case socket_kind::listener:
        for (const std::uint32_t number : acceptor_.accept_connections(one.number, now))
          advance_incoming(number);
        break;
      case socket_kind::incoming: advance_incoming(one.number); break;
      case socket_kind::outgoing:
        if (auto made = dialler_.advance(one.number, now))
          establish(one.number, std::move(*made), "is reached at");
        break;
      case socket_kind::channel: {
        channel& with = peers_[one.number];
        if (one.writable) {
          with.resume_sending();
          backoff_.record_activity(now);
        }
        if (!one.readable) break;
        taken += take_from(with, budget - taken);
        mark_active(with, now);
        break;
      }
    }
  });
  acceptor_.check_deadlines(now);
  dialler_.retry_due(now, [&](am_rank peer, std::string_view why) {
    peers_[peer].lose(why, packed::loss_cause::maybe_death);
  });
  for (const am_rank peer : keepalive_.check_silence(now))
    peers_[peer].lose(
        base::format("silent for {} s (AM_PEER_TIMEOUT)", keepalive_.timeout().count()),
        packed::loss_cause::maybe_death);
  backoff_.record_poll(now);
  return taken;
}

void tcp_transport::mark_active(channel& one, clock::time_point now) noexcept {
  if (std::ranges::find(active_channels_, &one, &active_channel::chan) == active_channels_.end())
    active_channels_.push_back({&one, now});
}

void tcp_transport::on_input(channel& one) noexcept { mark_active(one, clock::now()); }

// ---- delivery by a wrapper ----------------------------------------------------------------------

// What is read here stays in the channels until deliver_from.
void tcp_transport::advance() noexcept {
  peers_.send_open_frames();
  const bool is_quiet =
      active_channels_.empty() && !peers_.any_unpublished() && peers_.losses.empty();
  if (is_quiet && !backoff_.should_read_clock()) return;
  const clock::time_point now = clock::now();
  if (backoff_.due(now)) (void)poll_sockets(now, 0);
  read_active_channels(now);
  peers_.losses.report_due(now);
  peers_.publish_all();
}

// A channel with an undelivered message has recent input until that is delivered.
void tcp_transport::read_active_channels(clock::time_point now) noexcept {
  for (active_channel& one : active_channels_) {
    if (!one.chan->find_message()) continue;
    on_channel_input(one, now);
    backoff_.record_activity(now);
  }
  drop_inactive_channels(now);
}

// The caller expects a message, so the socket is read even where no poll of sockets is due.
bool tcp_transport::has_come(am_rank peer, seam::message_class) noexcept {
  channel* const with = peers_.find(peer);
  return with != nullptr && with->find_message();
}

unsigned tcp_transport::deliver_from(am_rank peer, seam::message_class, unsigned most) noexcept {
  channel* const with = peers_.find(peer);
  return with == nullptr || most == 0 ? 0 : with->take_messages(most, channel::answers::later);
}

// ---- lost peers ---------------------------------------------------------------------------------

void tcp_transport::on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept {
  base::log(base::log_level::info, "tcp: the connection with rank {} is lost: {}", one.peer, why);
  peers_.losses.add(one.peer, why, of);
}

unsigned tcp_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  unsigned taken = 0;
  for (unsigned some = 1; some != 0 && taken < budget; taken += some)
    some = take_from(*with, budget - taken);
  if (taken == budget) return taken;
  dialler_.cancel(peer);
  with->end();
  return taken;
}

// ---- sleeping -----------------------------------------------------------------------------------

std::chrono::nanoseconds tcp_transport::arm() noexcept {
  peers_.send_open_frames();
  peers_.publish_all();
  for (active_channel& one : active_channels_) rewatch(one);
  backoff_.poll_next_time();  // the poll after a wake-up finds what is there
  const bool some_left = std::ranges::any_of(
      active_channels_, [](const active_channel& one) { return one.chan->has_more(); });
  if (peers_.take_credits_or_room() || some_left || sockets_.has_events()) return 0ns;
  const auto due = std::min({acceptor_.next_deadline(), dialler_.next_deadline(),
                             keepalive_.next_deadline(), peers_.losses.next_deadline()});
  if (due == clock::time_point::max()) return std::chrono::nanoseconds::max();
  return std::max<std::chrono::nanoseconds>(due - clock::now(), 0ns);
}

}  // namespace am::detail::tcp
