// Messages from outside the job, or from a faulty rank: none of them runs, and a pair ends with a
// reason.
#include "two_ranks.hpp"

#include <libam/wire/packer.hpp>

#include <cstring>
#include <vector>

namespace ucx_strangers {

using namespace am_test;
namespace wire = am::detail::wire;

namespace {

// A process that knows a rank's address and uses UCX.
class raw_client {
 public:
  explicit raw_client(member& to) : to_(to), engine_(make()) {
    const auto theirs = ucx::rank_address::decode(to.transport->address());
    REQUIRE(theirs);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(theirs->worker.data());
    REQUIRE(ucp_ep_create(engine_->worker(), &params, &endpoint_) == UCS_OK);
  }
  void send_kind(ucx::kind what, std::vector<std::byte> bytes) {
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    const ucs_status_ptr_t sent = ucp_am_send_nbx(endpoint_, static_cast<unsigned>(what), nullptr,
                                                  0, bytes.data(), bytes.size(), &how);
    REQUIRE(!UCS_PTR_IS_ERR(sent));
    if (!UCS_PTR_IS_PTR(sent)) return;
    while (ucp_request_check_status(sent) == UCS_INPROGRESS) progress_both();
    ucp_request_free(sent);
  }
  void progress_both() {
    engine_->progress();
    to_.transport->poll(64);
  }

 private:
  struct ignoring_sink final : ucx::message_sink {
    bool on_message(ucx::kind, am_rank, std::span<const std::byte>, bool) noexcept override {
      return false;
    }
    void on_lone_message(const ucx::lone_message&, std::span<const std::byte>) noexcept override {}
  };
  std::unique_ptr<ucx::engine> make() {
    std::string why;
    auto made = ucx::engine::start(false, 1, am::detail::wire::payload_sizes(), why);
    REQUIRE_MESSAGE(made != nullptr, why);
    made->set_sink(ignoring_sink_);
    return made;
  }

  member& to_;
  ignoring_sink ignoring_sink_;
  std::unique_ptr<ucx::engine> engine_;
  ucp_ep_h endpoint_ = nullptr;
};

std::vector<std::byte> frame(std::uint32_t number, am_rank from = 1) {
  wire::packer packer(am::detail::ucx::full_frame_bytes, from);
  wire::message one{};
  one.kind = wire::message_kind::request;
  std::span<const std::byte> closed;
  for (std::uint32_t i = 0; i <= number; ++i) {
    packer.add(one);
    closed = packer.close(0);
  }
  return {closed.begin(), closed.end()};
}

}  // namespace

TEST_CASE("a message that names no rank, or one without a handshake, is ignored") {
  member zero(0);
  raw_client other(zero);
  for (const ucx::kind what :
       {ucx::kind::hello, ucx::kind::welcome, ucx::kind::frame, ucx::kind::segment,
        ucx::kind::segment_withdrawn, ucx::kind::segment_forgotten, ucx::kind::lost}) {
    for (const am_rank as : {0U, 1U, 2U, ~0U}) other.send_kind(what, frame(0, as));
    for (const std::size_t bytes : {0, 3, 4}) other.send_kind(what, std::vector<std::byte>(bytes));
  }
  for (unsigned i = 0; i < 1000; ++i) other.progress_both();
  CHECK(zero.seen.all.empty());
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE("an invalid frame ends the pair") {
  std::vector<std::byte> short_one = frame(1);
  short_one.resize(wire::frame_header_bytes - 1);
  std::vector<std::byte> long_one = frame(1);
  long_one.resize(long_one.size() + wire::payload_step);
  std::vector<std::byte> cut = frame(1);
  cut.resize(cut.size() - wire::payload_step);
  for (const auto& bad : {short_one, long_one, cut, frame(0), frame(20'000)}) {
    CAPTURE(bad.size());
    pair_with_traffic pair;
    member& zero = pair.zero;
    raw_client other(zero);
    other.send_kind(ucx::kind::frame, bad);
    REQUIRE(poll_until({}, [&] {
      other.progress_both();
      return zero.seen.deaths.size() == 1;
    }));
    CHECK(zero.seen.all.size() == 1);
  }
}

TEST_CASE_FIXTURE(pair_with_traffic, "a frame that is longer than any may be ends the pair") {
  std::vector<std::byte> longest = frame(1);
  longest.resize(wire::most_frame_bytes(wire::payload_sizes(), ucx::full_frame_bytes) + 16);
  raw_client other(zero);
  other.send_kind(ucx::kind::frame, longest);
  REQUIRE(poll_until({}, [&] {
    other.progress_both();
    return zero.seen.deaths.size() == 1;
  }));
  CHECK(zero.seen.last_loss == "a frame of 24560 bytes; it may have 24 to 24544");
}

TEST_CASE_FIXTURE(pair_with_traffic,
                  "a frame that arrives early runs in its turn, though nothing follows") {
  raw_client other(zero);
  other.send_kind(ucx::kind::frame, frame(2));
  for (unsigned i = 0; i < 1000; ++i) other.progress_both();
  CHECK(zero.seen.all.size() == 1);
  other.send_kind(ucx::kind::frame, frame(1));
  REQUIRE(poll_until({}, [&] {
    other.progress_both();
    return zero.seen.all.size() == 3;
  }));
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(pair_with_traffic,
                  "a frame far ahead waits, for its sender may have more credits") {
  raw_client other(zero);
  other.send_kind(ucx::kind::frame, frame(1000));
  for (unsigned i = 0; i < 1000; ++i) other.progress_both();
  CHECK(zero.seen.deaths.empty());
}

// The second arrives while the first waits for its turn, which has just come: in one call of UCX,
// which delivers several messages where many wait, so some of them come before.
TEST_CASE("a repeated frame ends the pair") {
  for (const unsigned before : {0U, 30U, 31U, 32U, 33U}) {
    CAPTURE(before);
    pair_with_traffic pair;
    member& zero = pair.zero;
    raw_client other(zero);
    other.send_kind(ucx::kind::frame, frame(2));
    for (unsigned i = 0; i < 1000; ++i) other.progress_both();
    for (unsigned i = 0; i < before; ++i) other.send_kind(ucx::kind::frame, {});
    other.send_kind(ucx::kind::frame, frame(1));
    other.send_kind(ucx::kind::frame, frame(2));
    REQUIRE(poll_until({}, [&] {
      other.progress_both();
      return zero.seen.deaths.size() == 1;
    }));
  }
}

TEST_CASE_FIXTURE(pair_with_traffic,
                  "a pair that is lost at one end is lost at the other, which has the reason") {
  raw_client other(zero);
  other.send_kind(ucx::kind::frame, frame(0));
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.deaths.size() == 1; }));
  CHECK(zero.seen.deaths.size() == 1);
  CHECK(one.seen.last_loss.find(
            "it has lost the route to this rank: a frame numbered 0 comes where 1 is due") == 0);
  // What was sent at first contact would return like all other messages.
  CHECK(one.try_connect(zero) != nullptr);
}

TEST_CASE("a rank that connects to one that has lost it gets an error, and waits no longer") {
  member zero(0);
  member one(1);
  raw_client other(zero);  // connects in one's name, and then ends the pair
  const auto poll_for_a_while = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < end) {
      other.progress_both();
      one.transport->poll(64);  // does not know zero yet, so zero's messages are ignored
    }
  };
  std::vector<std::byte> hello{std::byte{1}, {}, {}, {}};
  const std::vector<std::byte> contact = one.transport->address();
  hello.insert(hello.end(), contact.begin(), contact.end());
  other.send_kind(ucx::kind::hello, hello);
  poll_for_a_while();
  other.send_kind(ucx::kind::frame, std::vector<std::byte>{std::byte{1}, {}, {}, {}});
  poll_for_a_while();
  std::string why;
  seam::port* port = nullptr;
  REQUIRE(poll_until({&zero, &one}, [&] {
    port = one.transport->connect(0, zero.transport->address(), why);
    return port != nullptr || !why.empty();
  }));
  CHECK(port == nullptr);
  CHECK(why.find("it has lost the route to this rank: a frame of 4 bytes") == 0);
  // Nor does a late welcome make it a connection, whose loss would never be reported.
  raw_client late(one);
  late.send_kind(ucx::kind::welcome, std::vector<std::byte>(sizeof(am_rank)));
  for (unsigned i = 0; i < 1000; ++i) late.progress_both();
  CHECK(one.transport->connect(0, zero.transport->address(), why) == nullptr);
}

TEST_CASE_FIXTURE(connected_pair,
                  "a transfer of a lost pair keeps its bytes until UCX has finished with them") {
  const std::vector<std::byte> what(std::size_t{16} * 1024 * 1024);
  void* const there = one.transport->make_segment(what.size());
  test_transfer large(there, what.data(), what.size());
  REQUIRE(poll_until({&zero, &one},
                     [&] { return large.put(port) != seam::transfer_status::unsupported; }));
  // A copy into memory that is mapped here.
  if (large.status == seam::transfer_status::done) return;
  raw_client other(zero);
  other.send_kind(ucx::kind::frame, std::vector<std::byte>{std::byte{1}, {}, {}, {}});
  REQUIRE(poll_until({&zero}, [&] { return zero.seen.deaths.size() == 1; }));
  CHECK(zero.transport->drain_dead_peer(1, 64) == 0);  // as core does for all ranks out of reach
  struct : seam::failure_sink {
    [[nodiscard]] bool has_died(am_rank) const noexcept override { return false; }
    void on_lost_request(am_rank, const seam::lost_request&) noexcept override {}
  } ignored;
  port.fail_pending(ignored);
  CHECK(large.status == seam::transfer_status::under_way);
  SUBCASE("it reports its end") {
    REQUIRE(poll_until({&zero, &one},
                       [&] { return large.status != seam::transfer_status::under_way; }));
  }
  SUBCASE("its peer has died, too") { CHECK(zero.transport->drain_dead_peer(1, 64) == 0); }
  CHECK(large.status == seam::transfer_status::unsupported);
}

}  // namespace ucx_strangers
