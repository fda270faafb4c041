// The oldest unanswered request, found from where a port keeps its requests: for both kinds of
// rings, and in invalid memory.
#include <libam/packed/unanswered.hpp>
#include <libam/seam/snapshot.hpp>
#include <transports/shm/ring.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace unit_snapshot {

using namespace am::detail;

namespace {

// Requests that are numbered by their first word.
struct numbered {
  explicit numbered(std::uint32_t window) : kept(window) { credits.raise_limit(window); }

  void send() {
    credits.take();
    note();
  }
  void note() {
    const std::array<am_word, AM_WORDS> words{sent++, 2, 3, 4};
    kept.add(7, words.data());
  }
  // -1: there is none.
  [[nodiscard]] long oldest() const {
    const auto found = seam::find_oldest(kept.request_ring_view(), credits, seam::own_memory{});
    if (!found) return -1;
    CHECK(found->handler == 7);
    CHECK(found->words[3] == 4);
    CHECK(!found->begun);
    return static_cast<long>(found->words[0]);
  }

  packed::unanswered_requests kept;
  seam::sender_credits credits;
  am_word sent = 0;
};

constexpr std::uint32_t most = 64;

struct slot_ring {
  slot_ring() : memory(new shm::slot[most]()), writer(memory.get(), 4) {}

  void write() {
    shm::slot& next = writer.next();
    next.fill(sent++, 0, 0, 9);
    writer.publish(next, shm::control_of(shm::kind::small, 5));
  }
  [[nodiscard]] std::vector<am_word> youngest(std::uint32_t count) const {
    std::vector<am_word> words;
    seam::visit_newest_first(writer.request_ring_view(begun), count, seam::own_memory{},
                             [&](std::uint32_t, std::uintptr_t at, std::uint64_t control) {
                               CHECK(shm::handler_of(control) == 5);
                               words.push_back(reinterpret_cast<const shm::slot*>(at)->words[0]);
                               return true;
                             });
    return words;
  }

  std::unique_ptr<shm::slot[]> memory;
  shm::ring_writer writer;
  std::atomic<std::uint32_t> begun{0};
  am_word sent = 0;
};

// Reads return random numbers, and fail now and then.
struct random_memory {
  bool read(const void*, void* here, std::size_t bytes) const {
    ++reads;
    for (std::size_t i = 0; i < bytes; ++i)
      static_cast<unsigned char*>(here)[i] = static_cast<unsigned char>(rng());
    return !fails || rng() % 1000 != 0;
  }
  bool read(const std::atomic<std::uint32_t>*, std::uint32_t& here) const {
    return read(nullptr, &here, sizeof here);
  }
  mutable std::mt19937_64 rng;
  bool fails = true;  // now and then, which ends the walk
  mutable unsigned reads = 0;
};

}  // namespace

TEST_CASE("of numbered requests the oldest is the first whose credit has not returned") {
  for (const std::uint32_t window : {1U, 2U, 5U, 8U}) {
    CAPTURE(window);
    numbered r(window);
    CHECK(r.oldest() == -1);
    long completed = 0;
    for (unsigned round = 0; round < 50; ++round) {
      const std::uint32_t more = 1 + round % window;
      while (r.credits.in_flight() < more) r.send();
      CHECK(r.oldest() == completed);
      r.credits.book_replies(1);
      ++completed;
      CHECK(r.oldest() == (r.credits.in_flight() == 0 ? -1 : completed));
    }
  }
}

TEST_CASE("a credit that was taken for a put has no request yet") {
  numbered r(4);
  r.send();
  r.credits.take();
  CHECK(r.oldest() == 0);
  r.credits.book_replies(1);
  CHECK(r.oldest() == -1);
  r.note();
  CHECK(r.oldest() == 1);
  r.credits.take();
  r.credits.put_back();
  CHECK(r.oldest() == 1);
}

TEST_CASE("a failed port has no unanswered requests") {
  numbered r(4);
  for (unsigned i = 0; i < 3; ++i) r.send();
  r.credits.shut();
  CHECK(r.oldest() == -1);
}

TEST_CASE("a ring of slots is walked back across its wrap and any growth") {
  for (unsigned before = 0; before < 9; ++before) {
    for (unsigned behind = 0; behind < 12; ++behind) {
      CAPTURE(before);
      CAPTURE(behind);
      slot_ring r;
      for (unsigned i = 0; i < before; ++i) r.write();
      r.writer.grow();
      for (unsigned i = 0; i < behind; ++i) r.write();
      // Before the target has followed there are two credits for a ring of four.
      const std::uint32_t there = behind < 2 ? std::min(2U, before + behind) : std::min(behind, 7U);
      const auto words = r.youngest(there);
      REQUIRE(words.size() == there);
      for (std::uint32_t i = 0; i < there; ++i) CHECK(words[i] == r.sent - 1 - i);
    }
  }
}

TEST_CASE("in a ring of slots the request that was begun last is reported before older ones") {
  slot_ring r;
  seam::sender_credits credits;
  credits.raise_limit(3);
  for (unsigned i = 0; i < 3; ++i) {
    credits.take();
    r.write();
  }
  const auto oldest = [&] {
    return seam::find_oldest(r.writer.request_ring_view(r.begun), credits, seam::own_memory{})
        .value();
  };
  CHECK(oldest().words[0] == 0);
  CHECK(oldest().words[3] == 9);
  CHECK(oldest().handler == 5);
  CHECK(oldest().begun == false);
  r.begun = 2;
  CHECK(oldest().words[0] == 1);
  CHECK(oldest().begun == true);
}

TEST_CASE("invalid memory is read for a limited number of steps") {
  random_memory memory{std::mt19937_64(1)};
  std::mt19937_64 rng(2);
  for (unsigned round = 0; round < 2000; ++round) {
    seam::sender_credits credits;
    credits.raise_limit(0xffff'ffff);
    for (unsigned i = 0; i < 3; ++i) credits.take();
    seam::request_ring ring;
    ring.first = reinterpret_cast<const void*>(rng());
    ring.stride =
        round % 3 == 0 ? 0xffff'ffff : static_cast<std::uint32_t>(rng() >> (rng() % 33 + 31));
    ring.handler_shift = static_cast<std::uint32_t>(rng() % 100);
    ring.mask = static_cast<std::uint32_t>(rng() >> (rng() % 64));
    if (round % 2 == 0) ring.noted = reinterpret_cast<const std::uint32_t*>(rng());
    memory.fails = round % 4 != 1;
    memory.reads = 0;
    (void)seam::find_oldest(ring, credits, memory);
    REQUIRE(memory.reads <= 2 * seam::most_kept_requests + 8);
  }
}

}  // namespace unit_snapshot
