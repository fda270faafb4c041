#include "shm_steps.hpp"

#include <libam/base/membarrier.hpp>
#include <transports/shm/places.hpp>
#include <transports/shm/shm.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace am_test {

std::function<void()> at_barrier;
unsigned barriers = 0;
bool barrier_works = true;

// ---- a rank -------------------------------------------------------------------------------------

node::node(am_rank rank, am_rank ranks, const am::detail::base::settings& settings,
           const am::detail::base::shared_memory& memory)
    : boot(rank, ranks), ports(ranks) {
  boot.share(memory);
  std::string why;
  transport = am::detail::shm::make({rank, ranks, settings, boot, seen}, why);
  REQUIRE_MESSAGE(transport != nullptr, why);
}

am::detail::seam::port& node::to(am_rank peer) {
  if (ports[peer] == nullptr) {
    std::string why;
    ports[peer] = transport->connect(peer, transport->address(), why);
    REQUIRE_MESSAGE(ports[peer] != nullptr, why);
  }
  return *ports[peer];
}

bool node::send(am_rank peer, std::uint32_t handler, am_word word) {
  am::detail::seam::port& port = to(peer);
  if (port.credits.free() == 0) return false;
  port.credits.take();
  port.send(handler, word, 2, 3, 4);
  return true;
}

void node::request(am_rank peer, am_word word) {
  static const am_handler to_silent{nullptr, nullptr, "silent", nullptr, silent, 0};
  am::detail::seam::port& port = to(peer);
  if (port.credits.take_from_run()) {
    port.send_in_run(&to_silent, 4, word, 2, 3);
    return;
  }
  port.credits.take();
  port.send(silent, word, 2, 3, 4);
  port.start_run(port.look_in_turn());
}

am_status node::send_medium(am_rank peer, am_word word, std::size_t bytes) {
  am::detail::seam::port& port = to(peer);
  if (port.credits.free() == 0) return AM_AGAIN_CREDIT;
  const std::vector<std::byte> data(bytes);
  const am_word words[AM_WORDS] = {word, 2, 3, 4};
  port.credits.take();
  const am_status status = port.send_medium(silent, words, data.data(), bytes);
  if (status != AM_OK) port.credits.put_back();
  return status;
}

unsigned node::poll(unsigned times, unsigned budget) {
  unsigned ran = 0;
  for (unsigned i = 0; i < times; ++i) ran += transport->poll(budget);
  return ran;
}

// ---- the job ------------------------------------------------------------------------------------

shm_job::shm_job(am_rank ranks, std::uint32_t credits, std::uint32_t slots,
                 std::uint32_t max_medium)
    : places_(ranks, slots, am::detail::wire::payload_sizes(max_medium)) {
  settings_.credits = credits;
  settings_.shm_slots = slots;
  settings_.max_medium = max_medium;
  am::detail::base::fd memory;
  REQUIRE(am::detail::base::shared_memory::create(memory) == AM_OK);
  REQUIRE(memory_.map(std::move(memory), places_.job_bytes()) == AM_OK);
  for (am_rank rank = 0; rank < ranks; ++rank)
    nodes_.push_back(std::make_unique<node>(rank, ranks, settings_, memory_));
}

am::detail::shm::channel_lines& shm_job::lines(am_rank from, am_rank to) {
  return am::detail::shm::object_at<am::detail::shm::channel_lines>(memory_,
                                                                    places_.lines_at(from, to));
}

am::detail::shm::doorstep& shm_job::door(am_rank rank) {
  return am::detail::shm::object_at<am::detail::shm::doorstep>(memory_, places_.doorstep_at(rank));
}

am::detail::shm::slot& shm_job::request_slot(am_rank from, am_rank to, std::uint32_t number) {
  const std::size_t at = places_.requests_at(from, to) + number * sizeof(am::detail::shm::slot);
  return am::detail::shm::object_at<am::detail::shm::slot>(memory_, at);
}

am::detail::shm::slot& shm_job::reply_slot(am_rank from, am_rank to, std::uint32_t number) {
  const std::size_t at = places_.replies_at(from, to) + number * sizeof(am::detail::shm::slot);
  return am::detail::shm::object_at<am::detail::shm::slot>(memory_, at);
}

void shm_job::tell_of_death(am_rank rank) {
  for (am_rank other = 0; other < nodes_.size(); ++other) {
    const am::detail::seam::deathwatch& watch = nodes_[other]->boot.watched;
    const auto word = [&](std::uint64_t offset) {
      return std::atomic_ref(am::detail::shm::object_at<std::uint64_t>(memory_, offset));
    };
    if (other == rank)
      word(watch.obituary) = 1;
    else
      word(watch.attention).fetch_or(watch.bits);
  }
}

void shm_job::expect_nothing(unsigned ran) { REQUIRE(ran == 0); }

}  // namespace am_test

// In this program a barrier is a step of the test.
namespace am::detail::base {

bool register_barrier() noexcept { return true; }

bool barrier_everyone() noexcept {
  ++am_test::barriers;
  if (am_test::at_barrier) std::exchange(am_test::at_barrier, nullptr)();
  return am_test::barrier_works;
}

}  // namespace am::detail::base
