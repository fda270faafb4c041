// What a transport keeps of its peers: their channels, and what these leave for the next poll.
#include "../support/blackboard_boot.hpp"
#include "../support/recorder.hpp"

#include <libam/base/settings.hpp>
#include <libam/packed/peers.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <vector>

using namespace am_test;
namespace packed = am::detail::packed;
namespace seam = am::detail::seam;
namespace base = am::detail::base;

namespace {

// Has so many frames more to send, of which each opens the next.
struct channel {
  packed::peers<channel>* all = nullptr;
  unsigned frames = 0;
  unsigned flushed = 0;
  unsigned published = 0;
  packed::notes noted;
  void flush() noexcept {
    ++flushed;
    if (frames != 0 && --frames != 0) all->has_open_frame(*this);
  }
  void publish() noexcept { ++published; }
};

struct job {
  blackboard_boot boot{0, 3};
  base::settings settings;
  recorder seen;
  packed::peers<channel> peers{seam::host{0, 3, settings, boot, seen}};
  channel& to(am_rank peer) {
    return peers.find_or_make(peer, [] { return std::make_unique<channel>(); });
  }
};

}  // namespace

TEST_CASE("a channel is made at first contact, and found then") {
  job all;
  CHECK(all.peers.find(2) == nullptr);
  channel& two = all.to(2);
  CHECK(all.peers.find(2) == &two);
  CHECK(&all.to(2) == &two);
  unsigned count = 0;
  all.peers.each([&](channel&) { ++count; });
  CHECK(count == 1);
  CHECK(all.peers.any([&](const channel& one) { return &one == &two; }));
}

TEST_CASE("open frames leave once, and one that opens meanwhile leaves the next time") {
  job all;
  channel& one = all.to(1);
  channel& two = all.to(2);
  one.all = two.all = &all.peers;
  one.frames = 2;
  for (channel* each : {&one, &two, &one}) all.peers.has_open_frame(*each);
  CHECK(all.peers.send_open_frames());
  CHECK(one.flushed == 1);
  CHECK(two.flushed == 1);
  CHECK(all.peers.send_open_frames());
  CHECK(one.flushed == 2);
  CHECK(two.flushed == 1);
  CHECK_FALSE(all.peers.send_open_frames());
}

TEST_CASE("debts are paid once, and news is heard once") {
  job all;
  channel& one = all.to(1);
  all.peers.has_debt(one);
  all.peers.has_debt(one);
  CHECK(all.peers.have_debts());
  all.peers.pay_debts();
  CHECK(one.published == 1);
  CHECK_FALSE(all.peers.have_debts());
  all.peers.has_news();
  CHECK(all.peers.had_news());
  CHECK_FALSE(all.peers.had_news());
}

TEST_CASE("a loss that may be a death is told when the launcher has had its time") {
  job all;
  all.peers.losses.add(1, "gone", packed::sign::of_death);
  all.peers.losses.add(2, "wrong", packed::sign::of_trouble);
  const auto now = packed::losses::clock::now();
  all.peers.losses.tell(now);
  CHECK(all.seen.deaths == std::vector<am_rank>{2});
  all.peers.losses.tell(now + std::chrono::seconds(2));
  CHECK(all.seen.deaths == std::vector<am_rank>{2, 1});
  CHECK(all.peers.losses.empty());
}
