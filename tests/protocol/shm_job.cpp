#include "shm_job.hpp"

#include <libam/base/membarrier.hpp>
#include <transports/shm/shm.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace am_test {

std::function<void()> at_barrier;
unsigned barriers = 0;
bool barrier_works = true;

// ---- a rank -------------------------------------------------------------------------------------

shm_rank::shm_rank(am_rank rank, am_rank ranks, const am::detail::base::settings& settings,
                   const am::detail::base::shared_memory& memory)
    : boot(rank, ranks), ports(ranks) {
  boot.share(memory);
  std::string why;
  transport = am::detail::shm::make({rank, ranks, settings, boot, seen}, why);
  REQUIRE_MESSAGE(transport != nullptr, why);
}

am::detail::seam::port& shm_rank::to(am_rank peer) {
  if (ports[peer] == nullptr) {
    std::string why;
    ports[peer] = transport->connect(peer, transport->address(), why);
    REQUIRE_MESSAGE(ports[peer] != nullptr, why);
  }
  return *ports[peer];
}

bool shm_rank::send(am_rank peer, std::uint32_t handler, am_word word) {
  am::detail::seam::port& port = to(peer);
  if (port.credits.free() == 0) return false;
  port.credits.take();
  port.send(handler, word, 2, 3, 4);
  return true;
}

void shm_rank::request(am_rank peer, am_word word) {
  static const am_handler to_silent{nullptr, nullptr, "silent", nullptr, silent, 0};
  am::detail::seam::port& port = to(peer);
  if (port.credits.take_from_run()) {
    port.send_in_run(&to_silent, 4, word, 2, 3);
    return;
  }
  port.credits.take();
  port.send(silent, word, 2, 3, 4);
  port.start_run(port.poll_after_send());
}

am_status shm_rank::send_medium(am_rank peer, am_word word, std::size_t bytes) {
  am::detail::seam::port& port = to(peer);
  if (port.credits.free() == 0) return AM_AGAIN_CREDIT;
  const std::vector<std::byte> data(bytes);
  const am_word words[AM_WORDS] = {word, 2, 3, 4};
  port.credits.take();
  const am_status status = port.send_medium(silent, words, data.data(), bytes);
  if (status != AM_OK) port.credits.put_back();
  return status;
}

unsigned shm_rank::poll(unsigned times, unsigned budget) {
  unsigned ran = 0;
  for (unsigned i = 0; i < times; ++i) ran += transport->poll(budget);
  return ran;
}

// ---- the job ------------------------------------------------------------------------------------

shm_job::shm_job(am_rank ranks, std::uint32_t credits, std::uint32_t slots,
                 std::uint32_t max_medium)
    : layout_(ranks, slots, am::detail::wire::payload_sizes(max_medium)) {
  settings_.credits = credits;
  settings_.shm_slots = slots;
  settings_.max_medium = max_medium;
  am::detail::base::fd memory;
  REQUIRE(am::detail::base::shared_memory::create(memory) == AM_OK);
  REQUIRE(memory_.map(std::move(memory), layout_.job_bytes()) == AM_OK);
  for (am_rank rank = 0; rank < ranks; ++rank)
    ranks_.push_back(std::make_unique<shm_rank>(rank, ranks, settings_, memory_));
}

am::detail::shm::channel_state& shm_job::channel(am_rank from, am_rank to) {
  return am::detail::shm::object_at<am::detail::shm::channel_state>(memory_,
                                                                    layout_.channel_at(from, to));
}

am::detail::shm::control_block& shm_job::control_block(am_rank rank) {
  return am::detail::shm::object_at<am::detail::shm::control_block>(memory_,
                                                                    layout_.control_block_at(rank));
}

am::detail::shm::slot& shm_job::request_slot(am_rank from, am_rank to, std::uint32_t number) {
  const std::size_t at = layout_.requests_at(from, to) + number * sizeof(am::detail::shm::slot);
  return am::detail::shm::object_at<am::detail::shm::slot>(memory_, at);
}

am::detail::shm::slot& shm_job::reply_slot(am_rank from, am_rank to, std::uint32_t number) {
  const std::size_t at = layout_.replies_at(from, to) + number * sizeof(am::detail::shm::slot);
  return am::detail::shm::object_at<am::detail::shm::slot>(memory_, at);
}

void shm_job::inject_death(am_rank rank) {
  for (am_rank other = 0; other < ranks_.size(); ++other) {
    const am::detail::seam::exit_notification& watch = ranks_[other]->boot.watched;
    const auto word = [&](std::uint64_t offset) {
      return std::atomic_ref(am::detail::shm::object_at<std::uint64_t>(memory_, offset));
    };
    if (other == rank)
      word(watch.exit_report) = 1;
    else
      word(watch.attention).fetch_or(watch.bits);
  }
}

void shm_job::expect_nothing(unsigned ran) { REQUIRE(ran == 0); }

}  // namespace am_test

// In this program a membarrier is a step of the test.
namespace am::detail::base {

bool register_membarrier() noexcept { return true; }

bool issue_membarrier() noexcept {
  ++am_test::barriers;
  if (am_test::at_barrier) std::exchange(am_test::at_barrier, nullptr)();
  return am_test::barrier_works;
}

}  // namespace am::detail::base
