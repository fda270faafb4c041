#include <transports/ucx/ucx.hpp>

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/text.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {

using namespace std::chrono_literals;
using clock = poll_schedule::clock;

// Calls of progress in one poll that has brought no message yet: each polls some of UCX's
// transports.
constexpr unsigned max_progress_calls = 16;
constexpr unsigned max_drain_calls = 100'000;  // for a dead peer, while others send
// Where UCX has no event descriptor, or needs progress, this rank wakes up by itself.
constexpr auto sleep_without_descriptor = 1ms;
// For the peer's system to take what was sent.
constexpr auto close_timeout = 1s;

// Text from a peer, made fit for one line of the log.
std::string printable(std::span<const std::byte> bytes) {
  std::string text = base::abbreviate({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  base::make_one_line(text);
  return text;
}

// For a control message that is invalid and harms no rank.
void log_invalid(am_rank from, std::string_view what) {
  base::log(base::log_level::info, "ucx: rank {} has sent {} that is invalid", from, what);
}

// No poll runs, so what comes meanwhile is kept.
void close_endpoints(const peers& all, engine& ucx) noexcept {
  std::vector<ucs_status_ptr_t> closing;
  all.for_each([&](channel& one) {
    one.out.send_goodbye();
    if (one.is_open()) one.bulk.release_ucx();  // keys end before their endpoint
    if (const ucs_status_ptr_t begun = one.ep.close(); begun != nullptr) closing.push_back(begun);
  });
  const auto end = clock::now() + close_timeout;
  for (const ucs_status_ptr_t each : closing) {
    while (ucp_request_check_status(each) == UCS_INPROGRESS && clock::now() < end)
      (void)ucx.progress();
    ucp_request_free(each);
  }
}

}  // namespace

ucx_transport::ucx_transport(const seam::transport_context& context, std::unique_ptr<engine> ucx,
                             std::span<const int> opened)
    : context_(context),
      ucx_(std::move(ucx)),
      peers_(context),
      segments_(*ucx_, peers_),
      hosts_(context.settings.peer_timeout, opened),
      handshake_(context, *ucx_, peers_, *this, segments_, lost_, hosts_),
      short_ids_(*ucx_, *this) {
  ucx_->set_sink(*this);
}

// UCX's buffers are released before it ends; what it still reads stays until then.
ucx_transport::~ucx_transport() {
  if (leaving_) close_endpoints(peers_, *ucx_);
  leaving_ = true;
  peers_.for_each([](channel& one) { one.release_ucx(); });
  segments_.clear();
  hosts_.shut_down_blocked();
  ucx_.reset();
}

seam::port* ucx_transport::connect(am_rank peer, std::span<const std::byte> address,
                                   std::string& why) {
  channel* const with = handshake_.connect(peer, address, why);
  if (with == nullptr || with->pair.is_established()) return with;
  poll_ucx(0);
  return nullptr;
}

// ---- received messages --------------------------------------------------------------------------

bool ucx_transport::on_message(kind what, am_rank from, std::span<const std::byte> bytes,
                               bool holdable) noexcept {
  if (from >= context_.ranks || from == context_.rank) return false;
  if (what == kind::hello) {
    handshake_.on_hello(from, bytes);
    return false;
  }
  channel* const with = peers_.find(from);
  if (with == nullptr || !with->ep.exists()) return false;
  if (what != kind::frame) {
    on_control_message(what, *with, bytes);
    return false;
  }
  // A frame comes after the welcome: so messages of this rank have reached the peer.
  if (!with->is_open()) return false;
  with->pair.mark_established();
  const unsigned before = budget_;
  const bool kept = with->in.take_frame(bytes, holdable, budget_);
  if (budget_ != before) ready_.add_to_answer(*with);
  return kept;
}

// The id was offered to a rank that has a channel.
void ucx_transport::on_lone_message(const lone_message& what,
                                    std::span<const std::byte> words) noexcept {
  channel& with = peers_[what.from];
  const unsigned before = budget_;
  with.in.take_lone_message(what, words, budget_);
  if (budget_ != before) ready_.add_to_answer(with);
}

void ucx_transport::on_control_message(kind what, channel& with,
                                       std::span<const std::byte> bytes) noexcept {
  switch (what) {
    case kind::hello:
    case kind::frame: break;
    case kind::welcome:
      if (with.pair.open()) segments_.announce_all(with);
      with.pair.mark_established();
      hosts_.note_contact();
      peers_.note_credits_or_room();
      break;
    case kind::segment:
      if (!with.bulk.learn(bytes)) log_invalid(with.peer, "an announcement of a segment");
      break;
    case kind::segment_withdrawn: with.bulk.forget(bytes); break;
    case kind::segment_forgotten: segments_.on_forgotten(bytes, with.peer); break;
    case kind::lost:
      with.pair.lose(base::format("it has lost the route to this rank: {}", printable(bytes)),
                     packed::loss_cause::maybe_death);
      break;
    case kind::id_request:
      if (!short_ids_.add_id_request(with.peer, bytes))
        log_invalid(with.peer, "a request for an id");
      break;
    case kind::id_offer:
      if (!with.out.learn_id(bytes)) log_invalid(with.peer, "an offer of an id");
      break;
  }
}

void ucx_transport::progress_without_delivery() noexcept {
  const unsigned kept_budget = std::exchange(budget_, 0);
  (void)ucx_->progress();
  budget_ = kept_budget;
}

// ---- polling ------------------------------------------------------------------------------------

unsigned ucx_transport::poll(unsigned budget) noexcept {
  send_open_frames();
  if (!peers_.losses.empty()) peers_.losses.report_due(clock::now());
  if (!poll_schedule_.is_due(has_work())) return 0;
  poll_ucx(budget);
  const unsigned taken = budget - std::exchange(budget_, 0);
  if (taken != 0)
    poll_schedule_.note_traffic();
  else
    peers_.publish_all();
  return taken;
}

bool ucx_transport::has_work() const noexcept { return ready_.any_input() || !lost_.empty(); }

// The rest of the budget is in budget_. Channels that have delivered something are answered before
// UCX is polled again: a call that finds nothing takes as long as a small message.
void ucx_transport::poll_ucx(unsigned budget) noexcept {
  budget_ = budget;
  must_poll_ = false;
  ready_.deliver_kept(budget_);
  for (unsigned steps = 0; steps < max_progress_calls && ucx_->progress() != 0; ++steps)
    if (budget_ == 0 || ready_.any_to_answer()) break;
  if (handshake_.has_hellos()) handshake_.answer_hellos();
  if (short_ids_.has_id_requests()) short_ids_.send_offers(peers_);
  if (hosts_.is_due()) {
    for (const am_rank peer : hosts_.check(clock::now()))
      peers_[peer].pair.lose(
          base::format("silent for {} s (AM_PEER_TIMEOUT)", hosts_.timeout().count()),
          packed::loss_cause::maybe_death);
  }
  if (!lost_.empty()) lost_.notify_peers();
  ready_.send_answers();
}

// An answer is likely soon.
void ucx_transport::send_open_frames() noexcept {
  if (peers_.send_open_frames()) poll_schedule_.note_traffic();
}

am_status ucx_transport::flush() noexcept {
  ready_.send_answers();
  send_open_frames();
  poll_schedule_.note_traffic();
  const auto is_unflushed = [](const channel& one) { return one.is_open() && !one.is_flushed(); };
  return peers_.any(is_unflushed) ? AM_AGAIN_CONNECTING : AM_OK;
}

// ---- delivery by a wrapper ----------------------------------------------------------------------

// What comes is kept until deliver_from, and is work that makes every poll poll UCX.
void ucx_transport::advance() noexcept {
  send_open_frames();
  if (!peers_.losses.empty()) peers_.losses.report_due(clock::now());
  ready_.send_answers();
  if (!poll_schedule_.is_due(has_work())) return;
  // All of it: UCX reports only once to a rank that is going to sleep that there is something.
  for (unsigned calls = 0; calls < max_progress_calls && ucx_->progress() != 0; ++calls) {
  }
  poll_ucx(0);
  peers_.publish_all();
}

bool ucx_transport::has_come(am_rank peer, seam::message_class) noexcept {
  channel* const with = peers_.find(peer);
  const bool found = with != nullptr && with->in.has_message();
  if (!found) poll_schedule_.note_traffic();  // it is expected
  return found;
}

unsigned ucx_transport::deliver_from(am_rank peer, seam::message_class, unsigned most) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  unsigned left = most;
  with->in.deliver_kept(left);
  poll_schedule_.note_traffic();
  if (left == most) return 0;
  ready_.add_to_answer(*with);
  return most - left;
}

// ---- lost peers ---------------------------------------------------------------------------------

void ucx_transport::on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept {
  if (leaving_) return;
  base::log(base::log_level::info, "ucx: the route to rank {} is lost: {}", one.peer, why);
  segments_.forget_peer(one.peer);
  lost_.add(one);
  peers_.note_credits_or_room();
  if (one.pair.is_established()) peers_.losses.add(one.peer, why, of);
}

unsigned ucx_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  const unsigned others = std::exchange(budget_, 0);
  unsigned left = budget;
  bool more = true;
  for (unsigned steps = 0; more && left != 0 && steps < max_drain_calls; ++steps) {
    more = ucx_->progress() != 0 || with->in.is_next_available();
    with->in.deliver_kept(left);
  }
  with->out.send_answers();
  budget_ = others;
  if (left == 0) return budget;
  segments_.forget_peer(peer);
  with->retire_peer();
  return budget - left;
}

// ---- sleeping -----------------------------------------------------------------------------------

std::chrono::nanoseconds ucx_transport::arm() noexcept {
  send_open_frames();
  peers_.publish_all();
  poll_schedule_.poll_next_time();
  const bool needs_progress = peers_.any([](const channel& one) { return one.needs_progress(); });
  if (ucx_->descriptor() < 0) progress_without_delivery();
  if (peers_.take_credits_or_room() || handshake_.has_hellos() || has_work()) return 0ns;
  must_poll_ = must_poll_ || (ucx_->descriptor() >= 0 && !ucx_->arm());
  if (must_poll_) return 0ns;
  std::chrono::nanoseconds safe = std::chrono::nanoseconds::max();
  if (needs_progress || ucx_->descriptor() < 0) safe = sleep_without_descriptor;
  const auto due = std::min(peers_.losses.next_deadline(), hosts_.next_deadline());
  if (due != clock::time_point::max())
    safe = std::min<std::chrono::nanoseconds>(safe, due - clock::now());
  return std::max<std::chrono::nanoseconds>(safe, 0ns);
}

}  // namespace am::detail::ucx
