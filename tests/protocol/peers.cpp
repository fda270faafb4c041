// A transport's table of peers: their channels, and what these defer to the next poll.
#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"

#include <libam/base/settings.hpp>
#include <libam/packed/peers.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace protocol_peers {

using namespace am_test;
namespace packed = am::detail::packed;
namespace seam = am::detail::seam;
namespace base = am::detail::base;

namespace {

// Has `frames` more frames to send; each opens the next.
struct channel {
  packed::peers<channel>* all = nullptr;
  unsigned frames = 0;
  unsigned flushed = 0;
  unsigned published = 0;
  packed::channel_flags flags;
  void flush() noexcept {
    ++flushed;
    if (frames != 0 && --frames != 0) all->note_open_frame(*this);
  }
  void publish() noexcept { ++published; }
};

struct job {
  simulated_boot boot{0, 3};
  base::settings settings;
  recorder seen;
  packed::peers<channel> peers{seam::transport_context{0, 3, settings, boot, seen}};
  channel& to(am_rank peer) {
    return peers.find_or_make(peer, [] { return std::make_unique<channel>(); });
  }
};

}  // namespace

TEST_CASE("a channel is made at the first connection, and found after that") {
  job all;
  CHECK(all.peers.find(2) == nullptr);
  channel& two = all.to(2);
  CHECK(all.peers.find(2) == &two);
  CHECK(&all.to(2) == &two);
  unsigned count = 0;
  all.peers.for_each([&](channel&) { ++count; });
  CHECK(count == 1);
  CHECK(all.peers.any([&](const channel& one) { return &one == &two; }));
}

TEST_CASE("open frames leave once; one that opens meanwhile leaves the next time") {
  job all;
  channel& one = all.to(1);
  channel& two = all.to(2);
  one.all = two.all = &all.peers;
  one.frames = 2;
  for (channel* each : {&one, &two, &one}) all.peers.note_open_frame(*each);
  CHECK(all.peers.send_open_frames());
  CHECK(one.flushed == 1);
  CHECK(two.flushed == 1);
  CHECK(all.peers.send_open_frames());
  CHECK(one.flushed == 2);
  CHECK(two.flushed == 1);
  CHECK_FALSE(all.peers.send_open_frames());
}

TEST_CASE("unpublished silence is published once, and credits are noted once") {
  job all;
  channel& one = all.to(1);
  all.peers.note_unpublished(one);
  all.peers.note_unpublished(one);
  CHECK(all.peers.any_unpublished());
  all.peers.publish_all();
  CHECK(one.published == 1);
  CHECK_FALSE(all.peers.any_unpublished());
  all.peers.note_credits_or_room();
  CHECK(all.peers.take_credits_or_room());
  CHECK_FALSE(all.peers.take_credits_or_room());
}

TEST_CASE(
    "a loss that may be a death is reported after the launcher had time to report the death") {
  job all;
  all.peers.losses.add(1, "gone", packed::loss_cause::maybe_death);
  all.peers.losses.add(2, "wrong", packed::loss_cause::error);
  const auto now = packed::loss_queue::clock::now();
  all.peers.losses.report_due(now);
  CHECK(all.seen.deaths == std::vector<am_rank>{2});
  all.peers.losses.report_due(now + std::chrono::seconds(2));
  CHECK(all.seen.deaths == std::vector<am_rank>{2, 1});
  CHECK(all.peers.losses.empty());
}

}  // namespace protocol_peers
