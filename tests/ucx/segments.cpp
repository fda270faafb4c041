// Memory that a peer accesses without this rank's help.
#include "two_ranks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace ucx_segments {

using namespace am_test;

namespace {

constexpr std::size_t bytes = std::size_t{256} * 1024;

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(i * 7 + (i >> 8));
  return all;
}

// True: the transport transfers the bytes itself, or they are in flight and may be reused.
bool store(seam::port& port, member& from, member& to, void* where,
           const std::vector<std::byte>& what, am_word word) {
  static std::deque<test_transfer> all;
  test_transfer& one = all.emplace_back(where, what.data(), what.size(), word);
  (void)one.put(port);
  REQUIRE(poll_until({&from, &to}, [&] {
    return one.released || one.status != seam::transfer_status::under_way;
  }));
  return one.status == seam::transfer_status::done ||
         one.status == seam::transfer_status::under_way;
}

// Where UCX has not mapped the peer's memory, transfers take time.
bool is_mapped(void* of_peer, seam::port& port) {
  return port.mapped_word(static_cast<am_word*>(of_peer)) != nullptr;
}

struct ignore_losses final : seam::failure_sink {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  void on_lost_request(am_rank, const seam::lost_request&) noexcept override {}
};

bool is_page_mapped(void* page) {
  unsigned char in_memory = 0;
  return ::mincore(page, 1, &in_memory) == 0;
}

}  // namespace

TEST_CASE_FIXTURE(connected_pair,
                  "a store's handler finds every byte in its place, also of many stores at once") {
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(4 * bytes));
  REQUIRE(there != nullptr);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  for (am_word i = 1; i < 4; ++i) REQUIRE(store(port, zero, one, there + i * bytes, what, i));
  std::size_t checked = 0;
  REQUIRE(poll_until({&zero, &one}, [&] {
    for (; checked < one.seen.all.size(); ++checked) {
      const am_word i = one.seen.all[checked].word;
      CHECK(i == checked);
      CHECK(one.seen.all[checked].bytes == bytes);
      CHECK(std::memcmp(there + i * bytes, what.data(), bytes) == 0);
    }
    return checked == 4;
  }));
}

TEST_CASE_FIXTURE(connected_pair, "a put ends when its bytes have arrived and its notice is sent") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  test_transfer next(there, what.data(), bytes);
  CHECK((next.put(port) == seam::transfer_status::done) == is_mapped(there, port));
  REQUIRE(poll_until({&zero, &one}, [&] { return next.status == seam::transfer_status::done; }));
  CHECK(std::memcmp(there, what.data(), bytes) == 0);
}

TEST_CASE_FIXTURE(connected_pair, "the arrival of one put says nothing of a later one") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  if (is_mapped(there, port)) return;
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  constexpr std::size_t part = bytes / 8;  // the kernel takes it though the target does not poll
  test_transfer first(there, what.data(), part);
  test_transfer second(there, what.data(), part);
  REQUIRE(first.put(port) == seam::transfer_status::under_way);
  REQUIRE(second.put(port) == seam::transfer_status::under_way);
  REQUIRE(poll_until({&zero}, [&] { return first.released && second.released; }));
  // The flush for the second begins when that for the first has ended.
  REQUIRE(poll_until({&zero, &one}, [&] { return first.status == seam::transfer_status::done; }));
  CHECK(second.status == seam::transfer_status::under_way);
  REQUIRE(poll_until({&zero, &one}, [&] { return second.status == seam::transfer_status::done; }));
}

TEST_CASE_FIXTURE(connected_pair, "many puts and gets are under way at once") {
  constexpr std::size_t many = 32;
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(many * bytes));
  const std::vector<std::byte> what = pattern(many * bytes);
  REQUIRE(
      poll_until({&zero, &one}, [&] { return store(port, zero, one, there, pattern(bytes), 0); }));
  std::vector<std::byte> back(many * bytes);
  std::deque<test_transfer> puts;
  for (std::size_t i = 0; i < many; ++i) {
    const auto begun =
        puts.emplace_back(there + i * bytes, what.data() + i * bytes, bytes, i + 1).put(port);
    REQUIRE((begun == seam::transfer_status::done || begun == seam::transfer_status::under_way));
  }
  const auto are_done = [](const std::deque<test_transfer>& all) {
    return std::ranges::all_of(
        all, [](const test_transfer& m) { return m.status == seam::transfer_status::done; });
  };
  REQUIRE(poll_until({&zero, &one}, [&] { return are_done(puts); }));
  std::deque<test_transfer> gets;
  for (std::size_t i = 0; i < many; ++i)
    (void)gets.emplace_back(there + i * bytes, back.data() + i * bytes, bytes).get(port);
  REQUIRE(poll_until({&zero, &one}, [&] { return are_done(gets); }));
  CHECK(back == what);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == many + 1; }));
  for (std::size_t i = 1; i <= many; ++i) CHECK(one.seen.all[i].word == i);
}

TEST_CASE_FIXTURE(
    connected_pair,
    "a transfer whose target does not poll stays under way, until the target is dead") {
  void* const there = one.transport->make_segment(64 * bytes);
  REQUIRE(
      poll_until({&zero, &one}, [&] { return store(port, zero, one, there, pattern(bytes), 0); }));
  if (is_mapped(there, port)) return;
  const std::vector<std::byte> what = pattern(64 * bytes);
  test_transfer large(there, what.data(), what.size());
  REQUIRE(large.put(port) == seam::transfer_status::under_way);
  for (unsigned i = 0; i < 1000; ++i) zero.transport->poll(64);
  CHECK(large.status == seam::transfer_status::under_way);
  CHECK(zero.transport->drain_dead_peer(1, 64) == 0);
  ignore_losses ignored;
  port.fail_pending(ignored);
  CHECK(large.status == seam::transfer_status::unsupported);
}

TEST_CASE_FIXTURE(connected_pair,
                  "a peer's memory is accessed until its withdrawal is acknowledged") {
  std::vector<std::byte> there(bytes);
  one.transport->register_segment(there.data(), bytes);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there.data(), what, 5); }));
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  CHECK(one.seen.all[0].word == 5);
  CHECK(there == what);

  CHECK(one.transport->deregister_segment(there.data()));
  REQUIRE(
      poll_until({&one, &zero}, [&] { return !one.transport->deregister_segment(there.data()); }));
  CHECK(test_transfer(there.data(), what.data(), bytes).put(port) ==
        seam::transfer_status::unsupported);
  // The same memory again, though zero knew it under another key.
  one.transport->register_segment(there.data(), bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there.data(), what, 6); }));
}

TEST_CASE("segments made before contact are known after it, in both directions") {
  member zero(0);
  member one(1);
  void* const of_zero = zero.transport->make_segment(bytes);
  void* const of_one = one.transport->make_segment(bytes);
  seam::port& port = connect_ranks(zero, one);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, of_one, what, 0); }));
  seam::port& back = connect_ranks(one, zero);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(back, one, zero, of_zero, what, 0); }));
  REQUIRE(poll_until({&zero, &one},
                     [&] { return zero.seen.all.size() == 1 && one.seen.all.size() == 1; }));
  CHECK(std::memcmp(of_zero, what.data(), bytes) == 0);
  CHECK(std::memcmp(of_one, what.data(), bytes) == 0);
}

TEST_CASE_FIXTURE(connected_pair, "a get delivers the bytes at the source") {
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  std::memcpy(there, what.data(), bytes);
  std::vector<std::byte> here(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] {
    test_transfer back(there, here.data(), bytes);
    (void)back.get(port);
    REQUIRE(
        poll_until({&zero, &one}, [&] { return back.status != seam::transfer_status::under_way; }));
    return back.status == seam::transfer_status::done;
  }));
  CHECK(here == what);
}

TEST_CASE_FIXTURE(connected_pair,
                  "memory outside segments cannot be accessed, nor a segment that is gone") {
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(bytes));
  const std::vector<std::byte> what = pattern(bytes);
  std::vector<std::byte> here(2);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, zero, one, there, what, 0); }));
  CHECK(!store(port, zero, one, there + 1, what, 0));
  CHECK(!store(port, zero, one, there - 1, what, 0));
  CHECK(test_transfer(there + bytes - 1, here.data(), 2).get(port) ==
        seam::transfer_status::unsupported);
  seam::port& back = connect_ranks(one, zero);
  one.transport->free_segment(there);
  for (unsigned i = 0; i < 1000; ++i) one.transport->poll(64);
  CHECK(is_page_mapped(there));  // zero may be writing at this moment
  send(back, 1);
  REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 1; }));
  CHECK(test_transfer(there, what.data(), bytes).put(port) == seam::transfer_status::unsupported);
}

// It would answer each piece of it, and may end the process if it cannot, because the peer has
// died.
TEST_CASE("bytes go to another host in messages where UCX would emulate a put or get by its own") {
  if (!std::string(std::getenv("UCX_TLS")).starts_with("tcp")) return;
  member zero(0);
  member elsewhere(1, 64, base::wait_mode::spin, 2);
  seam::port& port = connect_ranks(zero, elsewhere);
  seam::port& back = connect_ranks(elsewhere, zero);
  void* const there = elsewhere.transport->make_segment(bytes);
  send(back, 1);  // behind the announcement of the segment
  REQUIRE(poll_until({&zero, &elsewhere}, [&] { return zero.seen.all.size() == 1; }));
  std::vector<std::byte> here(bytes);
  test_transfer to(there, here.data(), bytes);
  CHECK(to.put(port) == seam::transfer_status::unsupported);
  test_transfer from(there, here.data(), bytes);
  CHECK(from.get(port) == seam::transfer_status::unsupported);
}

}  // namespace ucx_segments
