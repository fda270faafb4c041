#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/house_rules.hpp>
#include <libam/base/log.hpp>
#include <libam/base/one_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/ucx/manners.hpp>
#include <transports/ucx/ucx.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace am::detail::ucx {

namespace {

using namespace std::chrono_literals;

// Calls of progress in one look that has brought no message yet: each brings what there is of some
// of UCX's ways.
constexpr unsigned most_steps = 16;
constexpr unsigned most_last_steps = 100'000;  // of a peer that has died, while others speak
// Where UCX gives no sign this rank looks for itself.
constexpr auto blind_nap = 1ms;
// The peer's system takes what was sent, or it does not.
constexpr auto time_to_close = 1s;

bool is_open(const channel& one) noexcept { return one.at() == channel::state::open; }

// What a peer says, as a part of one of this rank's lines.
std::string line_of(std::span<const std::byte> bytes) {
  std::string text = base::shown({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  base::make_one_line(text);
  return text;
}

}  // namespace

ucx_transport::ucx_transport(const seam::host& host, std::unique_ptr<engine> ucx)
    : host_(host),
      ucx_(std::move(ucx)),
      segments_(ucx_->context()),
      own_{this_host(), ucx_->address()},
      peers_(host) {
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
    one.say_goodbye();
    if (const ucs_status_ptr_t begun = one.close_endpoint(); begun != nullptr)
      closing.push_back(begun);
  });
  const auto end = clock::now() + time_to_close;
  for (const ucs_status_ptr_t each : closing) {
    while (ucp_request_check_status(each) == UCS_INPROGRESS && clock::now() < end)
      progress_quietly();
    ucp_request_free(each);
  }
}

std::vector<std::byte> ucx_transport::address() const { return own_.encode(); }

// ---- contact ------------------------------------------------------------------------------------

seam::port* ucx_transport::connect(am_rank peer, std::span<const std::byte> address,
                                   std::string& why) {
  const auto theirs = contact::decode(address);
  if (!theirs) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  if (peer == host_.rank) {
    why = "it leads to other ranks only: AM_TRANSPORT leaves self out";
    return nullptr;
  }
  channel& with = channel_to(peer);
  if (!with.has_endpoint() && !reach_out(with, *theirs, why)) return nullptr;
  if (with.at() == channel::state::lost) {
    why = with.why_lost();
    return nullptr;
  }
  if (with.is_proved()) return &with;
  if (!with.has_greeted()) with.greet(own_.encode());
  look(0);
  return nullptr;
}

channel& ucx_transport::channel_to(am_rank peer) {
  return peers_.find_or_make(peer, [&] {
    return std::make_unique<channel>(host_, peer, peers_, static_cast<channel_keeper&>(*this),
                                     *ucx_);
  });
}

bool ucx_transport::reach_out(channel& to, const contact& theirs, std::string& why) {
  const base::house_rules while_it_starts;
  const listening ucx;
  const bool reached = to.reach_out(theirs.worker, theirs.host == own_.host, why);
  if (!reached) why = ucx.why(why);
  return reached;
}

// A peer that this rank cannot reach is not told, for there is no way to it.
void ucx_transport::answer_greetings() {
  while (!greetings_.empty()) {
    const greeting one = std::move(greetings_.back());
    greetings_.pop_back();
    const auto theirs = contact::decode(one.contact);
    channel& with = channel_to(one.from);
    std::string why = "its hello makes no sense";
    if (!theirs || (!with.has_endpoint() && !reach_out(with, *theirs, why))) {
      base::log(base::log_level::info, "ucx: no answer to rank {}: {}", one.from, why);
      continue;
    }
    const bool is_new = with.open();
    if (with.at() == channel::state::lost) lost_.push_back(&with);
    if (!is_open(with)) continue;
    with.tell(kind::welcome, {});
    if (is_new) announce_segments(with);
  }
}

void ucx_transport::announce_segments(channel& to) {
  segments_.each_announcement([&](std::span<const std::byte> one) { to.tell(kind::segment, one); });
}

// ---- what comes ---------------------------------------------------------------------------------

bool ucx_transport::has_come(kind what, am_rank from, std::span<const std::byte> bytes,
                             bool lent) noexcept {
  if (from >= host_.ranks || from == host_.rank) return false;
  if (what == kind::hello) {
    greetings_.push_back({from, {bytes.begin(), bytes.end()}});
    return false;
  }
  channel* const with = peers_.find(from);
  if (with == nullptr || !with->has_endpoint()) return false;
  switch (what) {
    case kind::hello: break;
    case kind::frame: return hear_frame(*with, bytes, lent);
    case kind::welcome:
      if (with->open()) announce_segments(*with);
      with->prove();
      peers_.has_news();
      break;
    case kind::segment:
      if (!with->learn(bytes))
        base::log(base::log_level::info, "ucx: what rank {} says of a segment makes no sense",
                  from);
      break;
    case kind::no_segment: with->forget(bytes); break;
    case kind::forgotten: segments_.is_forgotten(bytes, from); break;
    case kind::lost:
      with->lose(base::format("it has lost the way to this rank: {}", line_of(bytes)),
                 packed::sign::of_death);
      break;
  }
  return false;
}

// A frame comes after the welcome: so the peer has heard this rank.
bool ucx_transport::hear_frame(channel& with, std::span<const std::byte> bytes,
                               bool lent) noexcept {
  if (!is_open(with)) return false;
  with.prove();
  const unsigned before = budget_;
  const bool kept = with.take(bytes, lent, budget_);
  if (budget_ != before) note_spoken(with);
  return kept;
}

void ucx_transport::note_spoken(channel& one) noexcept {
  if (spoken_.empty() || spoken_.back() != &one) spoken_.push_back(&one);
}

void ucx_transport::has_input(channel& one) noexcept {
  if (std::ranges::find(with_input_, &one) == with_input_.end()) with_input_.push_back(&one);
}

void ucx_transport::progress_quietly() noexcept {
  const unsigned kept_budget = std::exchange(budget_, 0);
  (void)ucx_->progress();
  budget_ = kept_budget;
}

// ---- polling ------------------------------------------------------------------------------------

unsigned ucx_transport::poll(unsigned budget) noexcept {
  send_open_frames();
  if (!is_time_to_look()) return 0;
  look(budget);
  const unsigned taken = budget - std::exchange(budget_, 0);
  if (taken != 0)
    lively_polls_ = polls_of_a_talk;
  else
    peers_.pay_debts();
  return taken;
}

bool ucx_transport::is_time_to_look() noexcept {
  if (!peers_.losses.empty()) peers_.losses.tell(clock::now());
  if (lively_polls_ != 0) {
    if (--lively_polls_ == 0) pace_.spoke(clock::now());
    return true;
  }
  if (transfers_ != 0 || !with_input_.empty() || !lost_.empty()) return true;
  if (!pace_.reads_clock()) return false;
  const clock::time_point now = clock::now();
  if (!pace_.due(now)) return false;
  pace_.looked(now);
  return true;
}

// What is left of the budget stands in budget_. Who has spoken is answered before UCX is asked for
// more: a call that finds nothing takes as long as a small message.
void ucx_transport::look(unsigned budget) noexcept {
  budget_ = budget;
  must_look_ = false;
  if (with_input_.size() > 1)
    std::rotate(with_input_.begin(), with_input_.begin() + 1, with_input_.end());
  for (std::size_t i = 0; i < with_input_.size() && budget_ != 0; ++i) {
    const unsigned before = budget_;
    with_input_[i]->take_kept(budget_);
    if (budget_ != before) note_spoken(*with_input_[i]);
  }
  std::erase_if(with_input_, [](const channel* one) { return !one->has_more(); });
  for (unsigned steps = 0; steps < most_steps && ucx_->progress() != 0; ++steps)
    if (budget_ == 0 || !spoken_.empty()) break;
  if (!greetings_.empty()) answer_greetings();
  if (!lost_.empty()) tell_of_losses();
  for (channel* one : spoken_) one->answer();
  spoken_.clear();
}

// Who has sent something is answered soon.
void ucx_transport::send_open_frames() noexcept {
  if (peers_.send_open_frames()) lively_polls_ = polls_of_a_talk;
}

am_status ucx_transport::flush() noexcept {
  send_open_frames();
  lively_polls_ = polls_of_a_talk;
  const auto waits = [](const channel& one) { return is_open(one) && !one.is_flushed(); };
  return peers_.any(waits) ? AM_AGAIN_CONNECTING : AM_OK;
}

// ---- segments -----------------------------------------------------------------------------------

void* ucx_transport::make_segment(std::size_t bytes) noexcept {
  std::string why;
  void* const made = segments_.make(bytes, why);
  if (made == nullptr) {
    (void)base::fail(AM_RESOURCE_SPACE, "a segment of {} bytes: {}", bytes, why);
    return nullptr;
  }
  tell_all(kind::segment, segments_.announcement(made));
  return made;
}

void ucx_transport::adopt_segment(void* address, std::size_t bytes) noexcept {
  std::string why;
  if (segments_.adopt(address, bytes, why))
    return tell_all(kind::segment, segments_.announcement(address));
  base::log(base::log_level::info, "ucx: a segment of {} bytes is reached by messages: {}", bytes,
            why);
}

bool ucx_transport::abandon_segment(void* address) noexcept {
  if (segments_.has_adopted(address)) withdraw_segment(address);
  return segments_.is_reached(address);
}

void ucx_transport::free_segment(void* address) noexcept {
  if (segments_.has_made(address)) withdraw_segment(address);
}

void ucx_transport::withdraw_segment(void* address) noexcept {
  std::set<am_rank> knowing;
  peers_.each([&](const channel& one) {
    if (is_open(one)) knowing.insert(one.peer);
  });
  tell_all(kind::no_segment, segments_.announcement(address));
  segments_.retire(address, std::move(knowing));
}

void ucx_transport::tell_all(kind what, std::span<const std::byte> announcement) {
  peers_.each([&](channel& one) {
    if (is_open(one)) one.tell(what, announcement);
  });
}

// ---- losing -------------------------------------------------------------------------------------

void ucx_transport::is_lost(channel& one, std::string_view why, packed::sign of) noexcept {
  if (leaving_) return;
  base::log(base::log_level::info, "ucx: the way to rank {} is lost: {}", one.peer, why);
  segments_.forget_peer(one.peer);
  one.note_loss(why);
  lost_.push_back(&one);
  peers_.has_news();
  if (one.is_proved()) peers_.losses.add(one.peer, why, of);
}

// Over an endpoint that UCX has not given up. Where it has, UCX tells the peer.
void ucx_transport::tell_of_losses() noexcept {
  for (channel* one : std::exchange(lost_, {})) {
    const std::string& why = one->why_lost();
    if (one->has_endpoint()) one->tell(kind::lost, std::as_bytes(std::span(why)));
  }
}

unsigned ucx_transport::last_words(am_rank peer, unsigned budget) noexcept {
  channel* const with = peers_.find(peer);
  if (with == nullptr) return 0;
  const unsigned others = std::exchange(budget_, 0);
  unsigned left = budget;
  bool more = true;
  for (unsigned steps = 0; more && left != 0 && steps < most_last_steps; ++steps) {
    more = ucx_->progress() != 0 || with->has_more();
    with->take_kept(left);
  }
  with->answer();
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
  lively_polls_ = std::max(lively_polls_, 1U);  // whoever is told that something is there finds it
  const bool waits = peers_.any([](const channel& one) { return one.waits(); });
  if (ucx_->descriptor() < 0) progress_quietly();
  if (peers_.had_news() || !with_input_.empty() || !greetings_.empty() || !lost_.empty())
    return 0ns;
  must_look_ = must_look_ || (ucx_->descriptor() >= 0 && !ucx_->arm());
  if (must_look_) return 0ns;
  std::chrono::nanoseconds safe = std::chrono::nanoseconds::max();
  if (waits || ucx_->descriptor() < 0) safe = blind_nap;
  if (!peers_.losses.empty())
    safe = std::min<std::chrono::nanoseconds>(safe, peers_.losses.next_deadline() - clock::now());
  return std::max<std::chrono::nanoseconds>(safe, 0ns);
}

}  // namespace am::detail::ucx
