// Ranks of the shm transport in one thread over one memory, each polled by the test, which so
// chooses every interleaving of their steps. The barrier that poller.cpp issues between marking a
// ring quiet and its last check calls back into the test, which acts as a peer there.
#pragma once

#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"

#include <libam/base/settings.hpp>
#include <libam/seam/transport.hpp>
#include <transports/shm/layout.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace am_test {

// Runs at the next barrier, once.
extern std::function<void()> at_barrier;
extern unsigned barriers;
extern bool barrier_works;

struct shm_rank {
  shm_rank(am_rank rank, am_rank ranks, const am::detail::base::settings& settings,
           const am::detail::base::shared_memory& memory);

  // The port to `peer`, made at the first call.
  am::detail::seam::port& to(am_rank peer);
  // As core does: takes a credit and sends. False: none is free.
  bool send(am_rank peer, std::uint32_t handler, am_word word);
  am_status send_medium(am_rank peer, am_word word, std::size_t bytes);
  // As core's request does: checks for messages, or continues a run. There must be a credit.
  void request(am_rank peer, am_word word);
  unsigned poll(unsigned times = 1, unsigned budget = 64);

  am_test::simulated_boot boot;
  recorder seen;
  std::unique_ptr<am::detail::seam::transport> transport;
  std::vector<am::detail::seam::port*> ports;
};

class shm_job {
 public:
  shm_job(am_rank ranks, std::uint32_t credits, std::uint32_t slots,
          std::uint32_t max_medium = am::detail::wire::default_max_medium);

  shm_rank& operator[](am_rank rank) { return *ranks_[rank]; }
  // The state that the two ends of a channel share.
  am::detail::shm::channel_state& channel(am_rank from, am_rank to);
  am::detail::shm::control_block& control_block(am_rank rank);
  // A slot of the requests from one rank to another.
  am::detail::shm::slot& request_slot(am_rank from, am_rank to, std::uint32_t number);
  // A slot of the replies to these.
  am::detail::shm::slot& reply_slot(am_rank from, am_rank to, std::uint32_t number);
  // As am-run does when `rank` has died; it is not polled any more.
  void inject_death(am_rank rank);
  // Enough empty polls for every idle ring to go quiet.
  void poll_until_quiet(am_rank rank) { expect_nothing(ranks_[rank]->poll(5000)); }

 private:
  static void expect_nothing(unsigned ran);

  am::detail::base::settings settings_;
  am::detail::shm::layout layout_;
  am::detail::base::shared_memory memory_;
  std::vector<std::unique_ptr<shm_rank>> ranks_;
};

}  // namespace am_test
