// The acts of the rank beside the neighbour, its handlers, and the checks at the end.
#include "neighbour_acts.hpp"

#include <libam/base/error.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/library_handlers.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace am_test::fuzz {

namespace core = am::detail::core;
namespace shm = am::detail::shm;

namespace {

// The running scenario: one input at a time.
scenario* running_scenario = nullptr;
neighbour_job* scenario_job = nullptr;
std::uint64_t read_sum = 0;

void read_all(const am_word* words, const void* data, std::size_t bytes) {
  for (unsigned i = 0; i < AM_WORDS; ++i) read_sum += words[i];
  if (data == nullptr) return;
  // The sender has named other memory, which need not exist.
  if (!scenario_job->is_shared(data)) return;
  AM_PROMISE(scenario_job->is_payload(data, bytes));
  AM_PROMISE(bytes <= scenario_job->layout().payloads().most_payload());
  for (std::size_t i = 0; i < bytes; ++i)
    read_sum += static_cast<std::uint64_t>(static_cast<const std::byte*>(data)[i]);
}

void on_message(am_token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(scenario_job->is_message(words));
  read_all(words, data, bytes);
}
void on_request(am_token token, const am_word* words, const void* data, std::size_t bytes);
void handle_with_act(am_token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(scenario_job->is_message(words));
  running_scenario->run_neighbour_act();
  read_all(words, data, bytes);
}
void on_undeliverable(am_token, const am_returned* message, void*) {
  AM_PROMISE(std::string_view(am::detail::base::status_text(message->reason)) !=
             "not a status of libam");
  AM_PROMISE(message->handler != nullptr);
  read_sum += std::strlen(message->handler);
}

am_handler taker{on_message, "fuzz.take", "fuzz.take", nullptr, AM_HANDLER_UNNUMBERED, 0};
am_handler answerer{on_request, "fuzz.answer", "fuzz.answer", nullptr, AM_HANDLER_UNNUMBERED, 0};
am_handler act_runner{handle_with_act, "fuzz.meddled",        "fuzz.meddled",
                      nullptr,         AM_HANDLER_UNNUMBERED, 0};

void on_request(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(scenario_job->is_message(words));
  read_all(words, data, bytes);
  // Refused if this is not a request.
  if ((words[0] & 1) == 0)
    (void)core::endpoint_of(token.ep).dispatcher().reply(token.serial, &taker, 1, 2, 3, 4);
  else
    (void)core::endpoint_of(token.ep).dispatcher().reply_store(token.serial, nullptr, nullptr, 0,
                                                               &taker, words);
}

const am_handler* const all_handlers[] = {
    &taker,
    &answerer,
    &act_runner,
    &core::piece_handler,
    &core::store_handler,
    &core::get_handler,
    &core::got_handler,
    &core::get_failed_handler,
    &core::atomic_handler,
    &core::atomic_done_handler,
    &core::atomic_failed_handler,
};

void register_handlers() {
  static const bool once = [] {
    for (am_handler* each : {&taker, &answerer, &act_runner}) core::register_handler(each);
    return true;
  }();
  (void)once;
}

constexpr unsigned most_acts = 400;
constexpr std::size_t landing_bytes = 1U << 14;
constexpr std::byte untouched{0x5a};
constexpr std::size_t before_landing = 1024;  // no get may touch it, nor as much behind

// Made once: making them takes longer than their use.
const arena& the_open() {
  static const arena& instance = *new arena(8192);
  return instance;
}
const arena& the_landing() {
  static const arena& instance = *new arena(landing_bytes);
  return instance;
}

std::uint32_t credits_of(bytes_in input) {
  register_handlers();
  return !input.empty() && (input[0] & 1) != 0 ? 4 : 100;
}
am::detail::base::bulk_method bulk_method_of(bytes_in input) {
  return !input.empty() && (input[0] & 2) != 0 ? am::detail::base::bulk_method::map
                                               : am::detail::base::bulk_method::fragments;
}

}  // namespace

scenario::scenario(bytes_in input, std::span<const act> acts, bool with_segment)
    : input_(input),
      acts_(acts),
      credits_(std::min(credits_of(input), shm::first_slots - 2)),
      job_(credits_of(input), bulk_method_of(input)),
      requests_{job_.requests(neighbour, me)},
      replies_{job_.replies(me, neighbour)},
      open_(the_open()),
      landing_(the_landing()) {
  running_scenario = this;
  scenario_job = &job_;
  set_reachable_arena(&open_);
  at_barrier = [this] { run_neighbour_act(); };
  std::memset(open_.data(), 0, open_.size());
  std::memset(landing_.data(), static_cast<int>(untouched), landing_bytes);
  job_.control_block(neighbour).membarrier_registered = 1;
  job_.ep().callbacks().on_undeliverable(&on_undeliverable, nullptr);
  void* made = nullptr;
  if (with_segment && job_.ep().bulk_calls().make_segment(8192, &made) == AM_OK)
    segment_ = static_cast<std::byte*>(made);
  (void)input_.byte();
  // The neighbour is a new sender.
  job_.control_block(me).new_senders = neighbour + 1;
  job_.control_block(me).attention = shm::new_senders_bit;
}

scenario::~scenario() {
  at_barrier = nullptr;
  set_reachable_arena(nullptr);
  running_scenario = nullptr;
  scenario_job = nullptr;
}

std::uint32_t scenario::handler() {
  const unsigned choice = input_.byte() % (std::size(all_handlers) + 1);
  return choice == std::size(all_handlers) ? number() & 0xffff : all_handlers[choice]->id;
}

void scenario::run() {
  for (unsigned i = 0; i < most_acts && !input_.empty() && !job_.has_ended(); ++i)
    (this->*acts_[input_.byte() % acts_.size()])();
  // Enough polls for any wait of the poller to end.
  for (unsigned i = 0; i < 300 && !job_.has_ended(); ++i)
    job_.run_guarded([&] { (void)job_.ep().progress().poll(0, nullptr); });
  check();
}

void scenario::poll() {
  const unsigned budget = input_.byte() % 65;
  const unsigned times = 1 + input_.byte() % 8;
  for (unsigned i = 0; i < times; ++i)
    job_.run_guarded([&] { (void)job_.ep().progress().poll(budget, nullptr); });
}

void scenario::request() {
  job_.run_guarded(
      [&] { (void)job_.ep().requests().try_request(neighbour, &answerer, 1, 2, 3, 4); });
}

void scenario::request_medium() {
  static const std::byte data[am::detail::wire::default_max_medium] = {};
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  const std::uint8_t how = input_.byte();
  const std::size_t bytes = 64U * how;
  const bool with_room = how % 8 == 7;
  job_.run_guarded([&] {
    if (with_room)
      (void)job_.ep().requests().try_request_with_room(neighbour, &answerer, data,
                                                       how % 16 == 7 ? 0 : bytes, bytes, words);
    else
      (void)job_.ep().requests().try_medium(neighbour, &answerer, data, bytes, words);
  });
}

void scenario::store() {
  static const std::byte data[256] = {};
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  auto* const where = reinterpret_cast<void*>(word());
  const std::size_t bytes = input_.byte();
  job_.run_guarded([&] {
    (void)job_.ep().bulk_calls().try_store(neighbour, where, data, bytes, &answerer, words);
  });
}

// Calls that might wait, for a credit or for one of 64 others to end, are skipped then.
bool scenario::may_send() noexcept {
  am_traffic all{};
  if (job_.has_ended() || job_.ep().statistics().read_peer(neighbour, all) != AM_OK ||
      job_.ep().peers().deaths() != 0)
    return false;
  const std::uint64_t in_flight = all.requests + all.gets + all.atomics - all.answers;
  return in_flight + 2 < credits_ && sent_ < 48;
}

void scenario::get() {
  const auto* const where = reinterpret_cast<const void*>(word());
  const std::size_t bytes = input_.number() % (landing_bytes - 2 * before_landing);
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  if (!may_send()) return;
  ++sent_;
  job_.run_guarded([&] {
    (void)job_.ep().bulk_calls().get(neighbour, where, landing_.data() + before_landing, bytes,
                                     &taker, words);
  });
}

void scenario::atomic_operation() {
  auto* const where = reinterpret_cast<am_word*>(word());
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  const auto op = static_cast<am_atomic_op>(input_.byte() % 3);
  if (!may_send()) return;
  ++sent_;
  job_.run_guarded(
      [&] { (void)job_.ep().bulk_calls().atomic(neighbour, where, op, 1, 2, &taker, words); });
}

void scenario::arm() {
  bool armed = false;
  job_.run_guarded([&] { (void)job_.ep().progress().arm(&armed); });
}

void scenario::check() {
  AM_PROMISE(job_.foreign_page_is_untouched());
  const std::byte* const landing = landing_.data();
  const auto is_untouched = [](std::byte each) { return each == untouched; };
  AM_PROMISE(std::all_of(landing, landing + before_landing, is_untouched));
  AM_PROMISE(
      std::all_of(landing + landing_bytes - before_landing, landing + landing_bytes, is_untouched));
  if (job_.has_ended()) return;
  AM_PROMISE(take_log_lines().empty());
  am_traffic all{};
  AM_PROMISE(job_.ep().statistics().read_peer(neighbour, all) == AM_OK);
  AM_PROMISE(all.answers <= all.requests + all.gets + all.atomics);
  // Returned credits that had never been taken would count as requests.
  AM_PROMISE(all.requests <= most_acts * AM_WORDS);
  AM_PROMISE(job_.ep().peers().deaths() < job_ranks);
  AM_PROMISE(job_.ep().requests().try_request(me, &taker, 0, 0, 0, 0) != AM_PEER_DEAD);
}

}  // namespace am_test::fuzz
