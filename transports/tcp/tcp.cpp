#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/why.hpp>
#include <transports/tcp/descriptors.hpp>
#include <transports/tcp/tcp.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

// A peer that has spoken speaks again soon, more often than not.
constexpr auto talks_on_for = 50us;
constexpr unsigned times_for_a_talk = 32;

// On one host all that the system has taken and not yet given is in this machine's memory: so much
// of it that it does not leave the caches (docs/performance.md).
constexpr int most_in_system = 512 * 1024;

void keep_in_cache(int socket) noexcept {
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &most_in_system, sizeof most_in_system);
}

}  // namespace

tcp_transport::tcp_transport(const seam::host& host, const seam::job_secret& secret,
                             watcher sockets, std::vector<base::fd> doors)
    : host_(host),
      me_{secret, host.rank, host.ranks, host.settings.tcp_crypt},
      sockets_(std::move(sockets)),
      reception_(std::move(doors), sockets_, me_),
      dialler_(sockets_, me_, host.settings.peer_timeout),
      vigil_(host.settings.peer_timeout),
      peers_(host) {
  if (host.settings.fault.of_network()) bad_network_.emplace(host);
}

// The other end of a connection that a forked child has a copy of hears of its end all the same.
tcp_transport::~tcp_transport() {
  peers_.each([&](channel& one) {
    if (leaving_) one.say_goodbye();
    one.end();
  });
}

std::vector<std::byte> tcp_transport::address() const {
  contact own{me_.encrypts, {}};
  for (const base::fd& door : reception_.doors())
    if (const auto here = tcp::address::of(door.get())) own.addresses.push_back(*here);
  return own.encode();
}

// ---- contact ------------------------------------------------------------------------------------

seam::port* tcp_transport::connect(am_rank peer, std::span<const std::byte> address,
                                   std::string& why) {
  const auto theirs = contact::decode(address);
  if (!theirs || theirs->addresses.empty()) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  if (theirs->encrypts != me_.encrypts) {
    why = base::format("AM_TCP_CRYPT is {:d} at rank {} and {:d} here: give all ranks the same",
                       theirs->encrypts, peer, me_.encrypts);
    return nullptr;
  }
  if (peer == host_.rank) {
    why = "it leads to other ranks only: AM_TRANSPORT leaves self out";
    return nullptr;
  }
  channel& found = channel_to(peer);
  if (found.at() == channel::state::lost) {
    why = base::format("the connection with rank {} was lost", peer);
    return nullptr;
  }
  if (found.at() == channel::state::connecting && !dialler_.is_calling(peer))
    dialler_.call(peer, theirs->addresses, clock::now());
  return &found;
}

channel& tcp_transport::channel_to(am_rank peer) {
  if (!std::exchange(has_had_contact_, true)) make_room_for(host_.ranks - 1);
  return peers_.find_or_make(peer, [&] {
    return std::make_unique<channel>(host_, peer, peers_, static_cast<channel_keeper&>(*this),
                                     bad_network_ ? &*bad_network_ : nullptr);
  });
}

// `how` ends in what stands before the address of the peer.
void tcp_transport::establish(am_rank peer, line made, std::string_view how) {
  channel& with = peers_[peer];
  if (with.at() != channel::state::connecting) return sockets_.close(made.take_socket());
  if (!sockets_.watch(made.socket(), watched::channel, peer, false))
    return with.lose(base::format("epoll_ctl: {}", base::why(errno)));
  if (const auto far = tcp::address::far_end_of(made.socket())) {
    base::log(base::log_level::info, "tcp: rank {} {} {}{}", peer, how, far->text(),
              me_.encrypts ? ", encrypted" : "");
    if (far->is_loopback()) keep_in_cache(made.socket());
  }
  vigil_.begin(peer, made.socket());
  with.open(std::move(made));
}

// Both may have called. The lower rank's call is the one that serves once the other may have
// welcomed it: before that it can be dropped, and it may lead nowhere, or to a stranger. The higher
// rank drops its own when it is called, which the other end may hear of late. A pair once lost
// stays so: its messages have been given up at one end.
void tcp_transport::hear_visitor(std::uint32_t number) {
  const auto peer = reception_.hear(number);
  if (!peer) return;
  channel& with = channel_to(*peer);
  const bool mine_serves =
      with.at() == channel::state::open || (dialler_.may_be_welcome(*peer) && host_.rank < *peer);
  if (mine_serves) return reception_.dismiss(number, verdict::crossed);
  if (with.at() != channel::state::connecting) return reception_.dismiss(number, verdict::lost);
  std::optional<line> made = reception_.welcome(number);
  if (!made) return;
  dialler_.hang_up(*peer);
  establish(*peer, std::move(*made), "has connected from");
}

// ---- sending ------------------------------------------------------------------------------------

void tcp_transport::close(base::fd socket) noexcept {
  vigil_.end(socket.get());
  sockets_.close(std::move(socket));
}

void tcp_transport::waits_for_socket(channel& one, bool waits) noexcept {
  (void)sockets_.watch(one.socket(), watched::channel, one.peer, waits);
  const auto talking = std::ranges::find(talkers_, &one, &talker::who);
  if (talking == talkers_.end()) return;
  talking->watched = true;
  talking->times = 0;
}

am_status tcp_transport::flush() noexcept {
  peers_.send_open_frames();
  const auto waits = [](const channel& one) {
    return one.at() <= channel::state::open && !one.is_flushed();
  };
  return peers_.any(waits) ? AM_AGAIN_CONNECTING : AM_OK;
}

// ---- receiving ----------------------------------------------------------------------------------

unsigned tcp_transport::poll(unsigned budget) noexcept {
  peers_.send_open_frames();
  const bool is_quiet = talkers_.empty() && !peers_.have_debts() && peers_.losses.empty();
  if (is_quiet && !pace_.reads_clock()) return 0;
  const clock::time_point now = clock::now();
  const bool sockets_due = pace_.due(now);  // asking all of them is a system call
  unsigned taken = listen_to_talkers(now, budget);
  if (sockets_due) taken += look_at_sockets(now, budget - taken);
  peers_.losses.tell(now);
  if (taken == 0)
    peers_.pay_debts();
  else
    pace_.spoke(now);
  return taken;
}

unsigned tcp_transport::take_from(channel& one, unsigned budget) noexcept {
  return budget == 0 ? 0 : one.take(budget);
}

// The one that used up the budget comes last next time.
unsigned tcp_transport::listen_to_talkers(clock::time_point now, unsigned budget) noexcept {
  unsigned taken = 0;
  for (std::size_t i = 0; i < talkers_.size() && taken < budget; ++i) {
    if (turn_ >= talkers_.size()) turn_ = 0;
    talker& one = talkers_[turn_++];
    const unsigned from_this = take_from(*one.who, budget - taken);
    if (from_this != 0) heard(one, now);
    taken += from_this;
  }
  if (taken == budget) return taken;
  // Those that fall silent have nothing left that only they know of.
  std::erase_if(talkers_, [&](talker& one) {
    if (one.who->at() != channel::state::open) return true;
    if (now - one.spoke <= talks_on_for || one.who->has_more()) return false;
    watch_again(one);
    return true;
  });
  return taken;
}

// Of a socket that is read at every poll the system need not tell, unless there is to be written,
// too: that costs whoever sends there a call for each packet.
void tcp_transport::heard(talker& one, clock::time_point now) noexcept {
  one.spoke = now;
  if (++one.times < times_for_a_talk || !one.watched || one.who->waits() ||
      one.who->at() != channel::state::open)
    return;
  sockets_.forget(one.who->socket());
  one.watched = false;
}

void tcp_transport::watch_again(talker& one) noexcept {
  if (std::exchange(one.watched, true) || one.who->at() != channel::state::open) return;
  waits_for_socket(*one.who, one.who->waits());
  one.times = 0;
}

unsigned tcp_transport::look_at_sockets(clock::time_point now, unsigned budget) noexcept {
  unsigned taken = 0;
  sockets_.look([&](const sign& one) {
    switch (one.what) {
      case watched::listener:
        for (const std::uint32_t number : reception_.open_door(one.number, now))
          hear_visitor(number);
        break;
      case watched::visitor: hear_visitor(one.number); break;
      case watched::call:
        if (auto made = dialler_.go(one.number, now))
          establish(one.number, std::move(*made), "is reached at");
        break;
      case watched::channel: {
        channel& with = peers_[one.number];
        if (one.writable) {
          with.go_on_sending();
          pace_.spoke(now);
        }
        if (!one.readable) break;
        taken += take_from(with, budget - taken);
        talks(with, now);
        break;
      }
    }
  });
  reception_.tend(now);
  dialler_.redial(now, [&](am_rank peer, std::string_view why) { peers_[peer].lose(why); });
  for (const am_rank peer : vigil_.look(now))
    peers_[peer].lose(base::format("silent for {} s (AM_PEER_TIMEOUT)", vigil_.timeout().count()));
  pace_.looked(now);
  return taken;
}

void tcp_transport::talks(channel& one, clock::time_point now) noexcept {
  if (std::ranges::find(talkers_, &one, &talker::who) == talkers_.end())
    talkers_.push_back({&one, now});
}

void tcp_transport::has_input(channel& one) noexcept { talks(one, clock::now()); }

// ---- losing -------------------------------------------------------------------------------------

void tcp_transport::is_lost(channel& one, std::string_view why, packed::sign of) noexcept {
  base::log(base::log_level::info, "tcp: the connection with rank {} is lost: {}", one.peer, why);
  peers_.losses.add(one.peer, why, of);
}

unsigned tcp_transport::last_words(am_rank peer, unsigned budget) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  unsigned taken = 0;
  for (unsigned some = 1; some != 0 && taken < budget; taken += some)
    some = take_from(*with, budget - taken);
  if (taken == budget) return taken;
  dialler_.hang_up(peer);
  with->end();
  return taken;
}

// ---- sleeping -----------------------------------------------------------------------------------

std::chrono::nanoseconds tcp_transport::arm() noexcept {
  peers_.send_open_frames();
  peers_.pay_debts();
  for (talker& one : talkers_) watch_again(one);
  pace_.look_next();  // whoever is told that something is there finds it
  const bool some_left =
      std::ranges::any_of(talkers_, [](const talker& one) { return one.who->has_more(); });
  if (peers_.had_news() || some_left || sockets_.has_something()) return 0ns;
  const auto due = std::min({reception_.next_deadline(), dialler_.next_deadline(),
                             vigil_.next_deadline(), peers_.losses.next_deadline()});
  if (due == clock::time_point::max()) return std::chrono::nanoseconds::max();
  return std::max<std::chrono::nanoseconds>(due - clock::now(), 0ns);
}

}  // namespace am::detail::tcp
