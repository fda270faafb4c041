// What comes from who is no rank, or no good one: nothing of it runs, and a pair ends with a
// reason.
#include "members.hpp"

#include <libam/wire/packer.hpp>

#include <cstring>
#include <vector>

using namespace am_test;
namespace wire = am::detail::wire;

namespace {

// Somebody who knows a rank's address and speaks UCX.
class stranger {
 public:
  explicit stranger(member& to) : to_(to), engine_(make()) {
    const auto theirs = ucx::contact::decode(to.transport->address());
    REQUIRE(theirs);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(theirs->worker.data());
    REQUIRE(ucp_ep_create(engine_->worker(), &params, &endpoint_) == UCS_OK);
  }
  void say(ucx::kind what, std::vector<std::byte> bytes) {
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    const ucs_status_ptr_t sent = ucp_am_send_nbx(endpoint_, static_cast<unsigned>(what), nullptr,
                                                  0, bytes.data(), bytes.size(), &how);
    REQUIRE(!UCS_PTR_IS_ERR(sent));
    if (!UCS_PTR_IS_PTR(sent)) return;
    while (ucp_request_check_status(sent) == UCS_INPROGRESS) work();
    ucp_request_free(sent);
  }
  void work() {
    engine_->progress();
    to_.transport->poll(64);
  }

 private:
  struct deaf final : ucx::hearer {
    bool has_come(ucx::kind, am_rank, std::span<const std::byte>, bool) noexcept override {
      return false;
    }
    void has_come_alone(const ucx::lone_message&, std::span<const std::byte>) noexcept override {}
  };
  std::unique_ptr<ucx::engine> make() {
    std::string why;
    auto made = ucx::engine::start(false, 1, am::detail::wire::payload_sizes(), why);
    REQUIRE_MESSAGE(made != nullptr, why);
    made->listen(deaf_);
    return made;
  }

  member& to_;
  deaf deaf_;
  std::unique_ptr<ucx::engine> engine_;
  ucp_ep_h endpoint_ = nullptr;
};

std::vector<std::byte> frame(std::uint32_t number, am_rank from = 1) {
  wire::packer packer(wire::full_frame_bytes, from);
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

TEST_CASE("what names no rank, or one that nobody has greeted, is passed over") {
  member zero(0);
  stranger other(zero);
  for (const ucx::kind what :
       {ucx::kind::hello, ucx::kind::welcome, ucx::kind::frame, ucx::kind::segment,
        ucx::kind::no_segment, ucx::kind::forgotten, ucx::kind::lost}) {
    for (const am_rank as : {0U, 1U, 2U, ~0U}) other.say(what, frame(0, as));
    for (const std::size_t bytes : {0, 3, 4}) other.say(what, std::vector<std::byte>(bytes));
  }
  for (unsigned i = 0; i < 1000; ++i) other.work();
  CHECK(zero.seen.all.empty());
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE("a frame that makes no sense ends the pair") {
  std::vector<std::byte> short_one = frame(1);
  short_one.resize(wire::frame_header_bytes - 1);
  std::vector<std::byte> long_one = frame(1);
  long_one.resize(long_one.size() + wire::payload_step);
  std::vector<std::byte> cut = frame(1);
  cut.resize(cut.size() - wire::payload_step);
  for (const auto& bad : {short_one, long_one, cut, frame(0), frame(20'000)}) {
    CAPTURE(bad.size());
    heard_couple pair;
    member& zero = pair.zero;
    stranger other(zero);
    other.say(ucx::kind::frame, bad);
    REQUIRE(poll_until({}, [&] {
      other.work();
      return zero.seen.deaths.size() == 1;
    }));
    CHECK(zero.seen.all.size() == 1);
  }
}

TEST_CASE_FIXTURE(
    heard_couple,
    "a frame that comes before its turn runs when its turn has come, though nothing follows") {
  stranger other(zero);
  other.say(ucx::kind::frame, frame(2));
  for (unsigned i = 0; i < 1000; ++i) other.work();
  CHECK(zero.seen.all.size() == 1);
  other.say(ucx::kind::frame, frame(1));
  REQUIRE(poll_until({}, [&] {
    other.work();
    return zero.seen.all.size() == 3;
  }));
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(heard_couple, "a frame far ahead waits, for its sender may have more credits") {
  stranger other(zero);
  other.say(ucx::kind::frame, frame(1000));
  for (unsigned i = 0; i < 1000; ++i) other.work();
  CHECK(zero.seen.deaths.empty());
}

// The second comes while the first waits for its turn, which has just come: in one call of UCX's,
// which brings more at a time where much waits, so some of that goes before.
TEST_CASE("a frame that comes twice ends the pair") {
  for (const unsigned before : {0U, 30U, 31U, 32U, 33U}) {
    CAPTURE(before);
    heard_couple pair;
    member& zero = pair.zero;
    stranger other(zero);
    other.say(ucx::kind::frame, frame(2));
    for (unsigned i = 0; i < 1000; ++i) other.work();
    for (unsigned i = 0; i < before; ++i) other.say(ucx::kind::frame, {});
    other.say(ucx::kind::frame, frame(1));
    other.say(ucx::kind::frame, frame(2));
    REQUIRE(poll_until({}, [&] {
      other.work();
      return zero.seen.deaths.size() == 1;
    }));
  }
}

TEST_CASE_FIXTURE(heard_couple,
                  "a pair that is lost at one end is lost at the other, which says why") {
  stranger other(zero);
  other.say(ucx::kind::frame, frame(0));
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.deaths.size() == 1; }));
  CHECK(zero.seen.deaths.size() == 1);
  std::string why;
  CHECK(one.transport->connect(0, zero.transport->address(), why) == nullptr);
  CHECK(why.find("it has lost the way to this rank: a frame numbered 0 comes where 1 is due") == 0);
}

TEST_CASE("whoever greets a rank to which the way is lost is told so, and waits no longer") {
  member zero(0);
  member one(1);
  stranger other(zero);  // greets in one's name, and then ends the pair
  const auto for_a_while = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < end) {
      other.work();
      one.transport->poll(64);  // knows no zero yet, so what zero says is for nobody
    }
  };
  std::vector<std::byte> hello{std::byte{1}, {}, {}, {}};
  const std::vector<std::byte> contact = one.transport->address();
  hello.insert(hello.end(), contact.begin(), contact.end());
  other.say(ucx::kind::hello, hello);
  for_a_while();
  other.say(ucx::kind::frame, std::vector<std::byte>{std::byte{1}, {}, {}, {}});
  for_a_while();
  std::string why;
  seam::port* port = nullptr;
  REQUIRE(poll_until({&zero, &one}, [&] {
    port = one.transport->connect(0, zero.transport->address(), why);
    return port != nullptr || !why.empty();
  }));
  CHECK(port == nullptr);
  CHECK(why.find("it has lost the way to this rank: a frame of 4 bytes") == 0);
}

TEST_CASE_FIXTURE(couple,
                  "a transfer of a pair that is lost keeps its bytes until UCX is done with them") {
  const std::vector<std::byte> what(std::size_t{16} * 1024 * 1024);
  void* const there = one.transport->make_segment(what.size());
  movement large(there, what.data(), what.size());
  REQUIRE(poll_until({&zero, &one}, [&] { return large.put(port) != seam::reach::no_way; }));
  if (large.at == seam::reach::done) return;  // a copy into memory that is mapped here
  stranger other(zero);
  other.say(ucx::kind::frame, std::vector<std::byte>{std::byte{1}, {}, {}, {}});
  REQUIRE(poll_until({&zero}, [&] { return zero.seen.deaths.size() == 1; }));
  CHECK(zero.transport->last_words(1, 64) == 0);  // as core asks of all that are out of reach
  struct : seam::mourner {
    [[nodiscard]] bool has_died(am_rank) const noexcept override { return false; }
    void lost(am_rank, const seam::lost_request&) noexcept override {}
  } nobody;
  port.give_up(nobody);
  CHECK(large.at == seam::reach::under_way);
  SUBCASE("it says so") {
    REQUIRE(poll_until({&zero, &one}, [&] { return large.at != seam::reach::under_way; }));
  }
  SUBCASE("or its peer has died, too") { CHECK(zero.transport->last_words(1, 64) == 0); }
  CHECK(large.at == seam::reach::no_way);
}
