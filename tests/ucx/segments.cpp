// Memory that a peer reaches without this rank's help.
#include "members.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

using namespace am_test;

namespace {

constexpr std::size_t bytes = std::size_t{256} * 1024;

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(i * 7 + (i >> 8));
  return all;
}

// True: the bytes went by themselves, or are on their way, and may be reused.
bool store(seam::port& port, member& from, member& to, void* where,
           const std::vector<std::byte>& what, am_word word) {
  static std::deque<movement> all;
  movement& one = all.emplace_back(where, what.data(), what.size(), word);
  (void)one.put(port);
  REQUIRE(
      poll_until({&from, &to}, [&] { return one.released || one.at != seam::reach::under_way; }));
  return one.at == seam::reach::done || one.at == seam::reach::under_way;
}

// Where UCX has no memory of the peer's here, transfers take time.
bool is_mapped(void* of_peer, seam::port& port) {
  return port.word_at(static_cast<am_word*>(of_peer)) != nullptr;
}

struct ignore_losses final : seam::mourner {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  void lost(am_rank, const seam::lost_request&) noexcept override {}
};

bool is_there(void* page) {
  unsigned char in_memory = 0;
  return ::mincore(page, 1, &in_memory) == 0;
}

}  // namespace

TEST_CASE_FIXTURE(couple,
                  "a store's handler finds every byte in its place, also of many stores at once") {
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(4 * bytes));
  REQUIRE(there != nullptr);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  for (am_word i = 1; i < 4; ++i) REQUIRE(store(port, zero, one, there + i * bytes, what, i));
  std::size_t looked_at = 0;
  REQUIRE(poll_until({&zero, &one}, [&] {
    for (; looked_at < one.seen.all.size(); ++looked_at) {
      const am_word i = one.seen.all[looked_at].word;
      CHECK(i == looked_at);
      CHECK(one.seen.all[looked_at].bytes == bytes);
      CHECK(std::memcmp(there + i * bytes, what.data(), bytes) == 0);
    }
    return looked_at == 4;
  }));
}

TEST_CASE_FIXTURE(couple, "a put ends when its bytes have arrived and its notice leaves") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  movement next(there, what.data(), bytes);
  CHECK((next.put(port) == seam::reach::done) == is_mapped(there, port));
  REQUIRE(poll_until({&zero, &one}, [&] { return next.at == seam::reach::done; }));
  CHECK(std::memcmp(there, what.data(), bytes) == 0);
}

TEST_CASE_FIXTURE(couple, "that one put has arrived says nothing of a later one") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  if (is_mapped(there, port)) return;
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  constexpr std::size_t part = bytes / 8;  // the system takes it though the target does not look
  movement first(there, what.data(), part);
  movement second(there, what.data(), part);
  REQUIRE(first.put(port) == seam::reach::under_way);
  REQUIRE(second.put(port) == seam::reach::under_way);
  REQUIRE(poll_until({&zero}, [&] { return first.released && second.released; }));
  // The flush that tells of the second begins when that of the first has ended.
  REQUIRE(poll_until({&zero, &one}, [&] { return first.at == seam::reach::done; }));
  CHECK(second.at == seam::reach::under_way);
  REQUIRE(poll_until({&zero, &one}, [&] { return second.at == seam::reach::done; }));
}

TEST_CASE_FIXTURE(couple, "many puts and gets are under way at once") {
  constexpr std::size_t many = 32;
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(many * bytes));
  const std::vector<std::byte> what = pattern(many * bytes);
  REQUIRE(
      poll_until({&zero, &one}, [&] { return store(port, zero, one, there, pattern(bytes), 0); }));
  std::vector<std::byte> back(many * bytes);
  std::deque<movement> puts;
  for (std::size_t i = 0; i < many; ++i) {
    const auto begun =
        puts.emplace_back(there + i * bytes, what.data() + i * bytes, bytes, i + 1).put(port);
    REQUIRE((begun == seam::reach::done || begun == seam::reach::under_way));
  }
  const auto are_done = [](const std::deque<movement>& all) {
    return std::ranges::all_of(all, [](const movement& m) { return m.at == seam::reach::done; });
  };
  REQUIRE(poll_until({&zero, &one}, [&] { return are_done(puts); }));
  std::deque<movement> gets;
  for (std::size_t i = 0; i < many; ++i)
    (void)gets.emplace_back(there + i * bytes, back.data() + i * bytes, bytes).get(port);
  REQUIRE(poll_until({&zero, &one}, [&] { return are_done(gets); }));
  CHECK(back == what);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == many + 1; }));
  for (std::size_t i = 1; i <= many; ++i) CHECK(one.seen.all[i].word == i);
}

TEST_CASE_FIXTURE(couple,
                  "a transfer whose target does not look stays under way, until that is dead") {
  void* const there = one.transport->make_segment(64 * bytes);
  REQUIRE(
      poll_until({&zero, &one}, [&] { return store(port, zero, one, there, pattern(bytes), 0); }));
  if (is_mapped(there, port)) return;
  const std::vector<std::byte> what = pattern(64 * bytes);
  movement large(there, what.data(), what.size());
  REQUIRE(large.put(port) == seam::reach::under_way);
  for (unsigned i = 0; i < 1000; ++i) zero.transport->poll(64);
  CHECK(large.at == seam::reach::under_way);
  CHECK(zero.transport->last_words(1, 64) == 0);
  ignore_losses nobody;
  port.give_up(nobody);
  CHECK(large.at == seam::reach::no_way);
}

TEST_CASE_FIXTURE(couple,
                  "memory of another's is reached until the peer has heard that it may not") {
  std::vector<std::byte> there(bytes);
  one.transport->adopt_segment(there.data(), bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there.data(), what, 5); }));
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  CHECK(one.seen.all[0].word == 5);
  CHECK(there == what);

  CHECK(one.transport->abandon_segment(there.data()));
  REQUIRE(poll_until({&one, &zero}, [&] { return !one.transport->abandon_segment(there.data()); }));
  CHECK(movement(there.data(), what.data(), bytes).put(port) == seam::reach::no_way);
  // And the same memory once more, though zero knew it under another key.
  one.transport->adopt_segment(there.data(), bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there.data(), what, 6); }));
}

TEST_CASE("segments made before contact are known after it, also to who is called") {
  member zero(0);
  member one(1);
  void* const of_zero = zero.transport->make_segment(bytes);
  void* const of_one = one.transport->make_segment(bytes);
  seam::port& port = contact(zero, one);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, of_one, what, 0); }));
  seam::port& back = contact(one, zero);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(back, one, zero, of_zero, what, 0); }));
  REQUIRE(poll_until({&zero, &one},
                     [&] { return zero.seen.all.size() == 1 && one.seen.all.size() == 1; }));
  CHECK(std::memcmp(of_zero, what.data(), bytes) == 0);
  CHECK(std::memcmp(of_one, what.data(), bytes) == 0);
}

TEST_CASE_FIXTURE(couple, "a get brings what stands there") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  std::memcpy(there, what.data(), bytes);
  std::vector<std::byte> here(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] {
    movement back(there, here.data(), bytes);
    (void)back.get(port);
    REQUIRE(poll_until({&zero, &one}, [&] { return back.at != seam::reach::under_way; }));
    return back.at == seam::reach::done;
  }));
  CHECK(here == what);
}

TEST_CASE_FIXTURE(couple, "what is in no segment is not reached, nor one that has gone") {
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(bytes));
  const std::vector<std::byte> what = pattern(bytes);
  std::vector<std::byte> here(2);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  CHECK(!store(port, zero, one, there + 1, what, 0));
  CHECK(!store(port, zero, one, there - 1, what, 0));
  CHECK(movement(there + bytes - 1, here.data(), 2).get(port) == seam::reach::no_way);
  seam::port& back = contact(one, zero);
  one.transport->free_segment(there);
  for (unsigned i = 0; i < 1000; ++i) one.transport->poll(64);
  CHECK(is_there(there));  // zero may be writing at this moment
  send(back, 1);
  REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 1; }));
  CHECK(movement(there, what.data(), bytes).put(port) == seam::reach::no_way);
}
