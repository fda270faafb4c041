// The acts of the rank that has such a neighbour, its handlers, and what is asked in the end.
#include "neighbour_acts.hpp"

#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/handlers.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace am_test::fuzz {

namespace core = am::detail::core;
namespace shm = am::detail::shm;

namespace {

// What runs: one input at a time.
play* playing = nullptr;
neighbour_job* job_of_play = nullptr;
std::uint64_t read_so_far = 0;

void read_all(const am_word* words, const void* data, std::size_t bytes) {
  for (unsigned i = 0; i < AM_WORDS; ++i) read_so_far += words[i];
  if (data == nullptr) return;
  // What stands elsewhere its sender has named, and nobody says that it is there.
  if (!job_of_play->is_shared(data)) return;
  AM_PROMISE(job_of_play->is_payload(data, bytes));
  AM_PROMISE(bytes <= job_of_play->places().payloads().most_payload());
  for (std::size_t i = 0; i < bytes; ++i)
    read_so_far += static_cast<std::uint64_t>(static_cast<const std::byte*>(data)[i]);
}

void take(am_token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(job_of_play->is_message(words));
  read_all(words, data, bytes);
}
void answer_it(am_token token, const am_word* words, const void* data, std::size_t bytes);
void be_meddled_with(am_token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(job_of_play->is_message(words));
  playing->meddle();
  read_all(words, data, bytes);
}
void take_back(am_token, const am_returned* message, void*) {
  AM_PROMISE(std::string_view(am::detail::base::status_text(message->reason)) !=
             "no status of libam");
  AM_PROMISE(message->handler != nullptr);
  read_so_far += std::strlen(message->handler);
}

am_handler taker{take, "fuzz.take", "fuzz.take", nullptr, AM_HANDLER_UNNUMBERED, 0};
am_handler answerer{answer_it, "fuzz.answer", "fuzz.answer", nullptr, AM_HANDLER_UNNUMBERED, 0};
am_handler meddled{be_meddled_with, "fuzz.meddled",        "fuzz.meddled",
                   nullptr,         AM_HANDLER_UNNUMBERED, 0};

void answer_it(am_token token, const am_word* words, const void* data, std::size_t bytes) {
  AM_PROMISE(job_of_play->is_message(words));
  read_all(words, data, bytes);
  // Refused where this is no request.
  if ((words[0] & 1) == 0)
    (void)core::of(token.ep).dispatch().reply(token.serial, &taker, 1, 2, 3, 4);
  else
    (void)core::of(token.ep).dispatch().reply_store(token.serial, nullptr, nullptr, 0, &taker,
                                                    words);
}

const am_handler* const all_handlers[] = {
    &taker,
    &answerer,
    &meddled,
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
    for (am_handler* each : {&taker, &answerer, &meddled}) core::register_handler(each);
    return true;
  }();
  (void)once;
}

constexpr unsigned most_acts = 400;
constexpr std::size_t landing_bytes = 1U << 14;
constexpr std::byte untouched{0x5a};
constexpr std::size_t before_landing = 1024;  // that no get may touch, and as much behind

// Made once: they take longer than what is done with them.
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
am::detail::base::bulk_way way_of(bytes_in input) {
  return !input.empty() && (input[0] & 2) != 0 ? am::detail::base::bulk_way::map
                                               : am::detail::base::bulk_way::fragments;
}

}  // namespace

play::play(bytes_in input, std::span<const act> acts, bool with_segment)
    : input_(input),
      acts_(acts),
      credits_(std::min(credits_of(input), shm::first_slots - 2)),
      job_(credits_of(input), way_of(input)),
      requests_{job_.requests(neighbour, me)},
      replies_{job_.replies(me, neighbour)},
      open_(the_open()),
      landing_(the_landing()) {
  playing = this;
  job_of_play = &job_;
  may_be_named(&open_);
  at_barrier = [this] { meddle(); };
  std::memset(open_.data(), 0, open_.size());
  std::memset(landing_.data(), static_cast<int>(untouched), landing_bytes);
  job_.door(neighbour).passes_barriers = 1;
  job_.ep().callbacks().on_undeliverable(&take_back, nullptr);
  void* made = nullptr;
  if (with_segment && job_.ep().bulk_calls().make_segment(8192, &made) == AM_OK)
    segment_ = static_cast<std::byte*>(made);
  (void)input_.byte();
  // The neighbour has arrived as neighbours do.
  job_.door(me).arrivals = neighbour + 1;
  job_.door(me).attention = shm::arrivals_bit;
}

play::~play() {
  at_barrier = nullptr;
  may_be_named(nullptr);
  playing = nullptr;
  job_of_play = nullptr;
}

std::uint32_t play::handler() {
  const unsigned choice = input_.byte() % (std::size(all_handlers) + 1);
  return choice == std::size(all_handlers) ? number() & 0xffff : all_handlers[choice]->id;
}

void play::run() {
  for (unsigned i = 0; i < most_acts && !input_.empty() && !job_.over(); ++i)
    (this->*acts_[input_.byte() % acts_.size()])();
  // Enough for any patience to end.
  for (unsigned i = 0; i < 300 && !job_.over(); ++i)
    job_.let([&] { (void)job_.ep().progress().poll(0, nullptr); });
  check();
}

void play::poll() {
  const unsigned budget = input_.byte() % 65;
  const unsigned times = 1 + input_.byte() % 8;
  for (unsigned i = 0; i < times; ++i)
    job_.let([&] { (void)job_.ep().progress().poll(budget, nullptr); });
}

void play::request() {
  job_.let([&] { (void)job_.ep().requests().try_request(neighbour, &answerer, 1, 2, 3, 4); });
}

void play::request_medium() {
  static const std::byte data[am::detail::wire::usual_max_medium] = {};
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  const std::uint8_t how = input_.byte();
  const std::size_t bytes = 64U * how;
  const bool with_room = how % 8 == 7;
  job_.let([&] {
    if (with_room)
      (void)job_.ep().requests().try_with_room(neighbour, &answerer, data,
                                               how % 16 == 7 ? 0 : bytes, bytes, words);
    else
      (void)job_.ep().requests().try_medium(neighbour, &answerer, data, bytes, words);
  });
}

void play::store() {
  static const std::byte data[256] = {};
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  auto* const where = reinterpret_cast<void*>(word());
  const std::size_t bytes = input_.byte();
  job_.let([&] {
    (void)job_.ep().bulk_calls().try_store(neighbour, where, data, bytes, &answerer, words);
  });
}

// What might wait for a credit, or for an end of 64 others, is not tried then.
bool play::may_send() noexcept {
  am_traffic all{};
  if (job_.over() || job_.ep().statistics().with(neighbour, all) != AM_OK ||
      job_.ep().peers().deaths() != 0)
    return false;
  const std::uint64_t on_their_way = all.requests + all.gets + all.atomics - all.answers;
  return on_their_way + 2 < credits_ && sent_ < 48;
}

void play::get() {
  const auto* const where = reinterpret_cast<const void*>(word());
  const std::size_t bytes = input_.number() % (landing_bytes - 2 * before_landing);
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  if (!may_send()) return;
  ++sent_;
  job_.let([&] {
    (void)job_.ep().bulk_calls().get(neighbour, where, landing_.data() + before_landing, bytes,
                                     &taker, words);
  });
}

void play::change() {
  auto* const where = reinterpret_cast<am_word*>(word());
  const am_word words[AM_WORDS] = {1, 2, 3, 4};
  const auto op = static_cast<am_atomic_op>(input_.byte() % 3);
  if (!may_send()) return;
  ++sent_;
  job_.let([&] { (void)job_.ep().bulk_calls().atomic(neighbour, where, op, 1, 2, &taker, words); });
}

void play::arm() {
  bool armed = false;
  job_.let([&] { (void)job_.ep().progress().arm(&armed); });
}

void play::check() {
  AM_PROMISE(job_.strangers_page_is_whole());
  const std::byte* const landing = landing_.data();
  const auto is_untouched = [](std::byte each) { return each == untouched; };
  AM_PROMISE(std::all_of(landing, landing + before_landing, is_untouched));
  AM_PROMISE(
      std::all_of(landing + landing_bytes - before_landing, landing + landing_bytes, is_untouched));
  if (job_.over()) return;
  AM_PROMISE(said().empty());
  am_traffic all{};
  AM_PROMISE(job_.ep().statistics().with(neighbour, all) == AM_OK);
  AM_PROMISE(all.answers <= all.requests + all.gets + all.atomics);
  // Credits that came home and had never been out would count as requests.
  AM_PROMISE(all.requests <= most_acts * AM_WORDS);
  AM_PROMISE(job_.ep().peers().deaths() < job_ranks);
  AM_PROMISE(job_.ep().requests().try_request(me, &taker, 0, 0, 0, 0) != AM_PEER_DEAD);
}

}  // namespace am_test::fuzz
