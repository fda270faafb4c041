#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/one_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/ucx/ucx.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {

using namespace std::chrono_literals;
using clock = looks::clock;

// Calls of progress in one look that has brought no message yet: each brings what there is of some
// of UCX's ways.
constexpr unsigned most_steps = 16;
constexpr unsigned most_last_steps = 100'000;  // of a peer that has died, while others speak
// Where UCX gives no sign this rank looks for itself.
constexpr auto blind_nap = 1ms;
// The peer's system takes what was sent, or it does not.
constexpr auto time_to_close = 1s;

// What a peer says, as a part of one of this rank's lines.
std::string line_of(std::span<const std::byte> bytes) {
  std::string text = base::shown({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  base::make_one_line(text);
  return text;
}

// Of what makes no sense, and harms nobody.
void note_nonsense(am_rank from, std::string_view about) {
  base::log(base::log_level::info, "ucx: what rank {} says of {} makes no sense", from, about);
}

}  // namespace

ucx_transport::ucx_transport(const seam::host& host, std::unique_ptr<engine> ucx)
    : host_(host),
      ucx_(std::move(ucx)),
      peers_(host),
      segments_(*ucx_, peers_),
      contact_(host, *ucx_, peers_, *this, segments_, lost_),
      short_ids_(*ucx_, *this) {
  ucx_->listen(*this);
}

// What UCX has lent goes back before it ends, and what it still reads stays until then.
ucx_transport::~ucx_transport() {
  if (leaving_) close_endpoints();
  leaving_ = true;
  peers_.each([](channel& one) { one.let_go(); });
  segments_.clear();
  ucx_.reset();
}

void ucx_transport::close_endpoints() noexcept {
  std::vector<ucs_status_ptr_t> closing;
  peers_.each([&](channel& one) {
    one.out.say_goodbye();
    if (one.is_open()) one.bulk.let_go();  // keys end before their endpoint
    if (const ucs_status_ptr_t begun = one.way.close(); begun != nullptr) closing.push_back(begun);
  });
  const auto end = clock::now() + time_to_close;
  for (const ucs_status_ptr_t each : closing) {
    while (ucp_request_check_status(each) == UCS_INPROGRESS && clock::now() < end)
      progress_quietly();
    ucp_request_free(each);
  }
}

seam::port* ucx_transport::connect(am_rank peer, std::span<const std::byte> address,
                                   std::string& why) {
  channel* const with = contact_.call(peer, address, why);
  if (with == nullptr || with->pair.is_proved()) return with;
  look(0);
  return nullptr;
}

// ---- what comes ---------------------------------------------------------------------------------

bool ucx_transport::has_come(kind what, am_rank from, std::span<const std::byte> bytes,
                             bool lent) noexcept {
  if (from >= host_.ranks || from == host_.rank) return false;
  if (what == kind::hello) {
    contact_.is_greeted(from, bytes);
    return false;
  }
  channel* const with = peers_.find(from);
  if (with == nullptr || !with->way.exists()) return false;
  if (what == kind::frame) return hear_frame(*with, bytes, lent);
  hear_note(what, *with, bytes);
  return false;
}

// A frame comes after the welcome: so the peer has heard this rank.
bool ucx_transport::hear_frame(channel& with, std::span<const std::byte> bytes,
                               bool lent) noexcept {
  if (!with.is_open()) return false;
  with.pair.prove();
  const unsigned before = budget_;
  const bool kept = with.in.take(bytes, lent, budget_);
  if (budget_ != before) turns_.has_spoken(with);
  return kept;
}

// An id for it was offered to a rank with a channel.
void ucx_transport::has_come_alone(const lone_message& what,
                                   std::span<const std::byte> words) noexcept {
  channel& with = peers_[what.from];
  const unsigned before = budget_;
  with.in.take_alone(what, words, budget_);
  if (budget_ != before) turns_.has_spoken(with);
}

void ucx_transport::hear_note(kind what, channel& with, std::span<const std::byte> bytes) noexcept {
  switch (what) {
    case kind::hello:
    case kind::frame: break;
    case kind::welcome:
      if (with.pair.open()) segments_.announce_all(with);
      with.pair.prove();
      peers_.has_news();
      break;
    case kind::segment:
      if (!with.bulk.learn(bytes)) note_nonsense(with.peer, "a segment");
      break;
    case kind::no_segment: with.bulk.forget(bytes); break;
    case kind::forgotten: segments_.is_forgotten(bytes, with.peer); break;
    case kind::lost:
      with.pair.lose(base::format("it has lost the way to this rank: {}", line_of(bytes)),
                     packed::sign::of_death);
      break;
    case kind::wish:
      if (!short_ids_.note_wish(with.peer, bytes)) note_nonsense(with.peer, "a handler");
      break;
    case kind::offer:
      if (!with.out.learn_id(bytes)) note_nonsense(with.peer, "an id");
      break;
  }
}

void ucx_transport::progress_quietly() noexcept {
  const unsigned kept_budget = std::exchange(budget_, 0);
  (void)ucx_->progress();
  budget_ = kept_budget;
}

// ---- polling ------------------------------------------------------------------------------------

unsigned ucx_transport::poll(unsigned budget) noexcept {
  send_open_frames();
  if (!peers_.losses.empty()) peers_.losses.tell(clock::now());
  if (!looks_.is_due(has_work())) return 0;
  look(budget);
  const unsigned taken = budget - std::exchange(budget_, 0);
  if (taken != 0)
    looks_.have_a_talk();
  else
    peers_.pay_debts();
  return taken;
}

bool ucx_transport::has_work() const noexcept {
  return turns_.anyone_has_input() || !lost_.empty();
}

// What is left of the budget stands in budget_. Who has spoken is answered before UCX is asked for
// more: a call that finds nothing takes as long as a small message.
void ucx_transport::look(unsigned budget) noexcept {
  budget_ = budget;
  must_look_ = false;
  turns_.take_kept(budget_);
  for (unsigned steps = 0; steps < most_steps && ucx_->progress() != 0; ++steps)
    if (budget_ == 0 || turns_.anyone_has_spoken()) break;
  if (contact_.has_greetings()) contact_.answer();
  if (short_ids_.has_wishes()) short_ids_.answer(peers_);
  if (!lost_.empty()) lost_.tell();
  turns_.answer();
}

// Who has sent something is answered soon.
void ucx_transport::send_open_frames() noexcept {
  if (peers_.send_open_frames()) looks_.have_a_talk();
}

am_status ucx_transport::flush() noexcept {
  send_open_frames();
  looks_.have_a_talk();
  const auto waits = [](const channel& one) { return one.is_open() && !one.is_flushed(); };
  return peers_.any(waits) ? AM_AGAIN_CONNECTING : AM_OK;
}

// ---- losing -------------------------------------------------------------------------------------

void ucx_transport::is_lost(channel& one, std::string_view why, packed::sign of) noexcept {
  if (leaving_) return;
  base::log(base::log_level::info, "ucx: the way to rank {} is lost: {}", one.peer, why);
  segments_.forget_peer(one.peer);
  lost_.add(one);
  peers_.has_news();
  if (one.pair.is_proved()) peers_.losses.add(one.peer, why, of);
}

unsigned ucx_transport::last_words(am_rank peer, unsigned budget) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  const unsigned others = std::exchange(budget_, 0);
  unsigned left = budget;
  bool more = true;
  for (unsigned steps = 0; more && left != 0 && steps < most_last_steps; ++steps) {
    more = ucx_->progress() != 0 || with->in.is_next_here();
    with->in.take_kept(left);
  }
  with->out.answer();
  budget_ = others;
  if (left == 0) return budget;
  segments_.forget_peer(peer);
  with->bury();
  return budget - left;
}

// ---- sleeping -----------------------------------------------------------------------------------

std::chrono::nanoseconds ucx_transport::arm() noexcept {
  send_open_frames();
  peers_.pay_debts();
  looks_.look_next();
  const bool waits = peers_.any([](const channel& one) { return one.waits(); });
  if (ucx_->descriptor() < 0) progress_quietly();
  if (peers_.had_news() || contact_.has_greetings() || has_work()) return 0ns;
  must_look_ = must_look_ || (ucx_->descriptor() >= 0 && !ucx_->arm());
  if (must_look_) return 0ns;
  std::chrono::nanoseconds safe = std::chrono::nanoseconds::max();
  if (waits || ucx_->descriptor() < 0) safe = blind_nap;
  if (!peers_.losses.empty())
    safe = std::min<std::chrono::nanoseconds>(safe, peers_.losses.next_deadline() - clock::now());
  return std::max<std::chrono::nanoseconds>(safe, 0ns);
}

}  // namespace am::detail::ucx
