// Memory that a peer reaches without this rank's help.
#include "members.hpp"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace am_test;

namespace {

constexpr std::size_t bytes = std::size_t{256} * 1024;

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(i * 7 + (i >> 8));
  return all;
}

// Some of UCX's ways take the other's help, which it gives while it polls.
template <class Call>
seam::reach while_it_polls(member& other, Call&& call) {
  std::atomic<bool> over = false;
  std::thread poller([&] {
    while (!over) other.transport->poll(64);
  });
  const seam::reach reached = call();
  over = true;
  poller.join();
  return reached;
}

// As core does it: true, the bytes went by themselves.
bool store(seam::port& port, member& to, void* where, const std::vector<std::byte>& what,
           am_word word) {
  port.credits.take();
  const am_word words[] = {word, 0, 0, 0};
  const auto put = [&] { return port.put(where, what.data(), what.size()); };
  if (while_it_polls(to, put) != seam::reach::done) {
    port.credits.put_back();
    return false;
  }
  port.send_bulk(silent, words, where, what.size());
  return true;
}

}  // namespace

TEST_CASE("a store's handler finds every byte in its place, also of many stores at once") {
  member zero(0);
  member one(1);
  seam::port& port = contact(zero, one);
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(4 * bytes));
  REQUIRE(there != nullptr);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, one, there, what, 0); }));
  for (am_word i = 1; i < 4; ++i) REQUIRE(store(port, one, there + i * bytes, what, i));
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
  CHECK(!port.places());
}

TEST_CASE("segments made before contact are known after it, also to who is called") {
  member zero(0);
  member one(1);
  void* const of_zero = zero.transport->make_segment(bytes);
  void* const of_one = one.transport->make_segment(bytes);
  seam::port& port = contact(zero, one);
  const std::vector<std::byte> what = pattern(bytes);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, one, of_one, what, 0); }));
  seam::port& back = contact(one, zero);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(back, zero, of_zero, what, 0); }));
  REQUIRE(poll_until({&zero, &one},
                     [&] { return zero.seen.all.size() == 1 && one.seen.all.size() == 1; }));
  CHECK(std::memcmp(of_zero, what.data(), bytes) == 0);
  CHECK(std::memcmp(of_one, what.data(), bytes) == 0);
}

TEST_CASE("a get brings what stands there") {
  member zero(0);
  member one(1);
  seam::port& port = contact(zero, one);
  void* const there = one.transport->make_segment(bytes);
  const std::vector<std::byte> what = pattern(bytes);
  std::memcpy(there, what.data(), bytes);
  std::vector<std::byte> here(bytes);
  const auto get = [&] { return port.get(there, here.data(), bytes); };
  REQUIRE(poll_until({&zero, &one}, [&] { return while_it_polls(one, get) == seam::reach::done; }));
  CHECK(here == what);
}

TEST_CASE("what is in no segment is not reached, nor one that has gone") {
  member zero(0);
  member one(1);
  seam::port& port = contact(zero, one);
  auto* const there = static_cast<std::byte*>(one.transport->make_segment(bytes));
  const std::vector<std::byte> what = pattern(bytes);
  std::vector<std::byte> here(2);
  REQUIRE(poll_until({&zero, &one}, [&] { return store(port, one, there, what, 0); }));
  CHECK(!store(port, one, there + 1, what, 0));
  CHECK(!store(port, one, there - 1, what, 0));
  CHECK(port.get(there + bytes - 1, here.data(), 2) == seam::reach::no_way);
  seam::port& back = contact(one, zero);
  one.transport->free_segment(there);
  send(back, 1);
  REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 1; }));
  CHECK(port.put(there, what.data(), bytes) == seam::reach::no_way);
}
