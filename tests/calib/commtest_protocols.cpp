// The calls of the protocols of COMMTEST, in their order, on a library that only records them.
#include <calib/program/commtest/swapper.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace calib_commtest_protocols {
namespace {

constexpr std::size_t packet_bytes = 8;

// Calls with the number of their packet: "isend 0", "wait isend 0". The handshake of ready sends is
// "announce" and "await".
class recording {
 public:
  struct request {
    std::string begun;
  };
  explicit recording(int rank, int ranks = 2) : rank_(rank), ranks_(ranks) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  static request none() { return {}; }

  void send(int to, int tag, const std::byte* data, std::size_t) {
    if (tag == 1)
      add("send", to, data);
    else
      calls += ", announce";
  }
  void bsend(int to, int, const std::byte* data, std::size_t) { add("bsend", to, data); }
  void ssend(int to, int, const std::byte* data, std::size_t) { add("ssend", to, data); }
  void rsend(int to, int, const std::byte* data, std::size_t) { add("rsend", to, data); }
  request isend(int to, int, const std::byte* data, std::size_t) { return add("isend", to, data); }
  request issend(int to, int, const std::byte* data, std::size_t) {
    return add("issend", to, data);
  }
  request irsend(int to, int, const std::byte* data, std::size_t) {
    return add("irsend", to, data);
  }
  void recv(int from, int tag, std::byte* room, std::size_t) {
    if (tag == 1)
      add("recv", from, room);
    else
      calls += ", await";
  }
  request irecv(int from, int, std::byte* room, std::size_t) { return add("irecv", from, room); }
  void sendrecv(int to, int, const std::byte* data, std::size_t, int, int, std::byte*,
                std::size_t) {
    add("sendrecv", to, data);
  }
  bool test(request&) { return true; }
  void wait(request& one) { calls += ", wait " + one.begun; }
  void wait_all(std::span<request>) {}
  void barrier() {}
  double max(double mine) { return mine; }

  std::array<std::byte, 4 * packet_bytes> out{}, in{};
  std::string calls;
  int peer = -1;

 private:
  request add(const std::string& call, int other, const std::byte* at) {
    peer = other;
    const auto* const from = at >= in.data() && at < in.data() + in.size() ? in.data() : out.data();
    const std::string one =
        call + ' ' + std::to_string(static_cast<std::size_t>(at - from) / packet_bytes);
    calls += ", " + one;
    return {one};
  }

  int rank_, ranks_;
};
static_assert(calib::two_sided<recording>);

const calib::swap_protocol& protocol(const std::string& name) {
  for (const calib::swap_protocol& one : calib::swap_protocols())
    if (one.name == name) return one;
  FAIL("there is no protocol " << name);
  return calib::swap_protocols().front();
}

// Of a rank: without the numbers of packets where there is one packet.
std::string calls_of(const std::string& name, calib::swap_set set, int rank, unsigned packets,
                     unsigned repeats = 1) {
  recording l(rank);
  calib::swapper one(l, protocol(name));
  const calib::packet_walk all(l.out.data(), l.in.data(), packet_bytes, packets, repeats,
                               repeats > 1 ? 2 * packet_bytes : 0);
  if (set == calib::swap_set::A) {
    one.swap_plainly(all);
  } else {
    one.prepost(all);
    l.calls += ", |";
    one.swap_reordered(all);
  }
  std::string calls = l.calls;
  if (packets == 1 && repeats == 1)
    for (std::size_t at = 0; (at = calls.find(" 0")) != std::string::npos;) calls.erase(at, 2);
  return calls.empty() ? calls : calls.substr(2);
}

}  // namespace

TEST_CASE("there are the 21 protocols of COMMTEST, in their order") {
  const auto& all = calib::swap_protocols();
  REQUIRE(all.size() == 21);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool ordered = i >= 10;
    CHECK(all[i].name == (ordered ? "1," + std::to_string(i - 10) : "0," + std::to_string(i)));
    CHECK(all[i].ordered == ordered);
  }
  CHECK(calib::swap_volumes == std::array<std::size_t, 3>{2097152, 131072, 8192});
}

TEST_CASE("both processes of an unordered protocol make the same calls") {
  const std::pair<const char*, const char*> expected[] = {
      {"0,0", "bsend, recv"},
      {"0,1", "isend, recv, wait isend"},
      {"0,2", "irecv, send, wait irecv"},
      {"0,3", "irecv, isend, wait irecv, wait isend"},
      {"0,4", "irecv, announce, await, rsend, wait irecv"},
      {"0,5", "irecv, announce, await, irsend, wait irecv, wait irsend"},
      {"0,6", "sendrecv"},
      {"0,7", "issend, recv, wait issend"},
      {"0,8", "irecv, ssend, wait irecv"},
      {"0,9", "irecv, issend, wait irecv, wait issend"},
  };
  for (const auto& [name, calls] : expected)
    for (const int rank : {0, 1}) CHECK(calls_of(name, calib::swap_set::A, rank, 1) == calls);
}

TEST_CASE("the second process of an ordered protocol sends what it has received") {
  struct both {
    const char* name;
    const char* first;
    const char* second;
  };
  const both expected[] = {
      {"1,0", "send, recv", "recv, send"},
      {"1,1", "isend, recv, wait isend", "recv, send"},
      {"1,2", "irecv, send, wait irecv", "recv, send"},
      {"1,3", "irecv, isend, wait irecv, wait isend", "recv, send"},
      {"1,4", "irecv, await, rsend, wait irecv", "irecv, announce, wait irecv, rsend"},
      {"1,5", "irecv, await, irsend, wait irecv, wait irsend",
       "irecv, announce, wait irecv, rsend"},
      {"1,6", "await, send, recv", "irecv, announce, wait irecv, send"},
      {"1,7", "issend, recv, wait issend", "recv, ssend"},
      {"1,8", "irecv, ssend, wait irecv", "recv, ssend"},
      {"1,9", "irecv, issend, wait irecv, wait issend", "recv, ssend"},
      {"1,10", "ssend, recv", "recv, ssend"},
  };
  for (const both& one : expected) {
    CHECK(calls_of(one.name, calib::swap_set::A, 0, 1) == one.first);
    CHECK(calls_of(one.name, calib::swap_set::A, 1, 1) == one.second);
  }
}

TEST_CASE("set A completes a packet before the next one begins") {
  CHECK(calls_of("0,3", calib::swap_set::A, 0, 2) ==
        "irecv 0, isend 0, wait irecv 0, wait isend 0, "
        "irecv 1, isend 1, wait irecv 1, wait isend 1");
}

TEST_CASE("set B posts the next receive before it sends, and completes the send before") {
  using enum calib::swap_set;
  CHECK(calls_of("0,3", B, 1, 3) ==
        "irecv 0, |, irecv 1, isend 0, wait irecv 0, "
        "irecv 2, isend 1, wait irecv 1, wait isend 0, "
        "isend 2, wait irecv 2, wait isend 1, wait isend 2");
  CHECK(calls_of("0,2", B, 0, 2) ==
        "irecv 0, |, irecv 1, send 0, wait irecv 0, send 1, wait irecv 1");
  // A receive that waits cannot be posted earlier, but a send may be completed later.
  CHECK(calls_of("0,1", B, 0, 2) ==
        "|, isend 0, recv 0, isend 1, recv 1, wait isend 0, "
        "wait isend 1");
  CHECK(calls_of("0,4", B, 0, 2) ==
        "irecv 0, announce, |, irecv 1, announce, await, rsend 0, wait irecv 0, "
        "await, rsend 1, wait irecv 1");
}

TEST_CASE("a message is repeated before the next one, with two receives never in one place") {
  CHECK(calls_of("1,0", calib::swap_set::A, 0, 1, 2) == "send 0, recv 0, send 0, recv 2");
  CHECK(calls_of("0,2", calib::swap_set::B, 0, 2, 2) ==
        "irecv 0, |, irecv 2, send 0, wait irecv 0, irecv 1, send 0, wait irecv 2, "
        "irecv 3, send 1, wait irecv 1, send 1, wait irecv 3");
}

TEST_CASE("of four ranks the pairs are 0-2 and 1-3") {
  const int peers[] = {2, 3, 0, 1};
  for (int rank = 0; rank < 4; ++rank) {
    recording l(rank, 4);
    calib::swapper one(l, protocol("1,0"));
    CHECK(one.peer() == peers[rank]);
    one.swap_plainly({l.out.data(), l.in.data(), packet_bytes, 1, 1, 0});
    CHECK(l.peer == peers[rank]);
    CHECK(l.calls == (rank < 2 ? ", send 0, recv 0" : ", recv 0, send 0"));
  }
}

}  // namespace calib_commtest_protocols
