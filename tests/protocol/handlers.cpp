// How ranks with different handlers agree on the numbers of handlers.
#include "recording_transport.hpp"

#include "../support/simulated_boot.hpp"

#include <libam/base/build.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/handlers.hpp>

#include <am/am.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using am_test::recording_transport;
using am_test::words4;
namespace core = am::detail::core;

namespace {

unsigned ran = 0;
void unnamed(am::request_token) { ++ran; }
void with_name(am::request_token) { ++ran; }

}  // namespace

AM_HANDLER(with_name, "protocol.with_name");

namespace {

using blob = std::vector<std::byte>;

const am_handler* unnamed_entry() { return &am::detail::entry_of<unnamed>::entry; }
const am_handler* named_entry() { return &am::detail::entry_of<with_name>::entry; }

blob keys(const std::vector<std::string>& all) {
  blob out;
  for (const std::string& key : all) {
    const auto bytes = std::as_bytes(std::span(key.c_str(), key.size() + 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

// What a rank of `build` puts first; its numbers follow.
blob others_blob(const std::string& build) {
  blob out{std::byte{1}};
  const auto bytes = std::as_bytes(std::span(build.c_str(), build.size() + 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

// The digest of a rank that has other handlers and the same AM_MAX_MEDIUM.
blob others_digest(std::uint64_t max_medium = am::detail::base::settings().max_medium,
                   std::uint64_t host = 1, bool traced = false) {
  const std::uint64_t all[] = {1, max_medium, host, 0, std::uint64_t{traced}};
  blob out = others_blob(std::string(am::detail::base::build_version()));
  const auto bytes = std::as_bytes(std::span(all));
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

// Rank 0 of 2 joins; rank 1 has `theirs`, or the handlers of rank 0 if that is empty.
struct joined {
  explicit joined(const std::vector<std::string>& theirs = {}) {
    auto boot = std::make_unique<am_test::simulated_boot>(0, 2);
    if (!theirs.empty()) {
      boot->others_put(1, "handlers.digest", others_digest());
      boot->others_put(1, "handlers.keys", keys(theirs));
    }
    core::endpoint* made = nullptr;
    status = core::endpoint::join(std::move(boot), {}, &made);
    if (made != nullptr) raw = core::handle_of(made);
  }
  ~joined() {
    if (raw != nullptr) am_ep_abandon(raw);
  }
  void receive(std::uint32_t handler) {
    recording_transport::last->receive_request(1, handler, {1, 2, 3, 4});
    REQUIRE(am_ep_poll(raw, 0, nullptr) == AM_OK);
  }

  am_status status = AM_OK;
  am_ep* raw = nullptr;
};

}  // namespace

TEST_CASE("handlers are numbered densely, each once, and the same at every join") {
  std::uint32_t first = 0;
  {
    joined job;
    REQUIRE(job.status == AM_OK);
    first = unnamed_entry()->id;
    CHECK(first != named_entry()->id);
    CHECK(first < 64);
  }
  joined again;
  CHECK(unnamed_entry()->id == first);
}

TEST_CASE("a handler that only the peer has is numbered at every rank") {
  std::uint32_t alone = 0;
  {
    joined job;
    alone = unnamed_entry()->id;
  }
  // A key that sorts before all others.
  joined job({"0"});
  REQUIRE(job.status == AM_OK);
  CHECK(unnamed_entry()->id == alone + 1);
  // Its number is known here, but this rank has no such handler.
  job.receive(0);
  REQUIRE(recording_transport::last->replies.size() == 1);
  CHECK(recording_transport::last->replies[0].reason == AM_ARGUMENT_HANDLER);
  CHECK(recording_transport::last->replies[0].handler == 0);
  // A number of this rank's handlers runs it.
  const unsigned before = ran;
  job.receive(unnamed_entry()->id);
  CHECK(ran == before + 1);
}

TEST_CASE("a name identifies a handler, wherever it is in its file") {
  joined job({"name:protocol.with_name"});
  REQUIRE(job.status == AM_OK);
  const unsigned before = ran;
  job.receive(named_entry()->id);
  CHECK(ran == before + 1);
  CHECK(recording_transport::last->replies.empty());
}

TEST_CASE("two handlers of one name are refused, with the name") {
  const auto nothing = [](am_token, const am_word*, const void*, std::size_t) {};
  const auto other = [](am_token, const am_word* words, const void*, std::size_t) {
    ran += words == nullptr;
  };
  am_handler one{nothing, "protocol.twin", "protocol.twin", nullptr, AM_HANDLER_UNNUMBERED, 0};
  am_handler two{other, "protocol.twin", "protocol.twin", nullptr, AM_HANDLER_UNNUMBERED, 0};
  am_handler_register(&one);
  am_handler_register(&two);
  {
    joined job;
    CHECK(job.status == AM_ARGUMENT_HANDLER);
    CHECK(std::string(am_error_text()).find("protocol.twin") != std::string::npos);
  }
  am_handler_unregister(&two);
  {
    joined job;
    CHECK(job.status == AM_OK);
    CHECK(one.id < 64);
  }
  am_handler_unregister(&one);
  CHECK(one.id == AM_HANDLER_UNNUMBERED);
}

TEST_CASE(
    "a handler that comes later has a number after update_handlers, and the others keep theirs") {
  joined job;
  REQUIRE(job.status == AM_OK);
  const std::uint32_t first = unnamed_entry()->id;
  am_handler late{[](am_token, const am_word*, const void*, std::size_t) { ++ran; },
                  "protocol.a_late_one",
                  "protocol.a_late_one",
                  nullptr,
                  AM_HANDLER_UNNUMBERED,
                  0};
  am_handler_register(&late);
  CHECK(am_ep_request(job.raw, 1, &late, 0, 0, 0, 0) == AM_ARGUMENT_HANDLER);
  REQUIRE(am_ep_update_handlers(job.raw) == AM_OK);
  CHECK(unnamed_entry()->id == first);
  CHECK(am_ep_request(job.raw, 1, &late, 0, 0, 0, 0) == AM_OK);
  const unsigned before = ran;
  job.receive(late.id);
  CHECK(ran == before + 1);
  am_handler_unregister(&late);
}

TEST_CASE("a rank with another AM_MAX_MEDIUM is refused, with both values") {
  for (const std::uint64_t theirs : {std::uint64_t{65536}, std::uint64_t{1} << 40}) {
    auto boot = std::make_unique<am_test::simulated_boot>(0, 2);
    boot->others_put(1, "handlers.digest", others_digest(theirs));
    core::endpoint* made = nullptr;
    CHECK(core::endpoint::join(std::move(boot), {}, &made) == AM_ARGUMENT_SETTING);
    REQUIRE(made == nullptr);
    CHECK(std::string(am_error_text()) == "rank 1 has AM_MAX_MEDIUM=" + std::to_string(theirs) +
                                              " and this one 16384: set it alike for all ranks");
  }
}

TEST_CASE("a rank of another build is refused, with both, whatever follows") {
  const std::string ours(am::detail::base::build_version());
  for (const auto& [theirs, shown] :
       {std::pair<std::string, std::string>{"0.1.0 (git 0123456)", "0.1.0 (git 0123456)"},
        {ours + "x", ours + "x"},
        {"a\nb", "a?b"},
        {"", ""}}) {
    auto boot = std::make_unique<am_test::simulated_boot>(0, 3);
    boot->others_put(1, "handlers.digest", others_digest());
    boot->others_put(2, "handlers.digest", others_blob(theirs));
    core::endpoint* made = nullptr;
    CHECK(core::endpoint::join(std::move(boot), {}, &made) == AM_PEER_UNREACHABLE);
    REQUIRE(made == nullptr);
    CHECK(std::string(am_error_text()) == "cannot join the job: join: rank 2 is of libam " + shown +
                                              ", and this is libam " + ours +
                                              ": give all ranks the same");
  }
}

TEST_CASE("ranks whose memory has one id are on one host, named by the lowest of them") {
  auto boot = std::make_unique<am_test::simulated_boot>(0, 4);
  boot->host = 5;
  const std::uint64_t hosts[] = {5, 6, 5, 6};
  for (am_rank rank = 0; rank < 4; ++rank)
    boot->others_put(rank, "handlers.digest", others_digest(16384, hosts[rank]));
  for (am_rank rank = 0; rank < 4; ++rank) boot->others_put(rank, "handlers.keys", keys({"0"}));
  core::endpoint* made = nullptr;
  REQUIRE(core::endpoint::join(std::move(boot), {}, &made) == AM_OK);
  am_ep* const ep = core::handle_of(made);
  const am_rank lowest[] = {0, 1, 0, 1};
  for (am_rank rank = 0; rank < 4; ++rank) CHECK(am_ep_host_of(ep, rank) == lowest[rank]);
  CHECK(am_ep_host_of(ep, 4) == 4);
  am_ep_abandon(ep);
}

namespace {

// Rank 0 of 2, of two hosts whose ranks have traces.
std::unique_ptr<am_test::simulated_boot> traced_hosts() {
  auto boot = std::make_unique<am_test::simulated_boot>(0, 2);
  for (am_rank rank = 0; rank < 2; ++rank) {
    boot->others_put(rank, "handlers.digest", others_digest(16384, rank, true));
    boot->others_put(rank, "handlers.keys", keys({"0"}));
  }
  return boot;
}

}  // namespace

TEST_CASE("where ranks compare clocks a join ends if another rank cannot number its handlers") {
  auto boot = traced_hosts();
  blob bad = keys({"it has too many"});
  bad.insert(bad.begin(), std::byte{0});
  boot->others_put(1, "handlers.numbers", bad);
  core::endpoint* made = nullptr;
  CHECK(core::endpoint::join(std::move(boot), {}, &made) == AM_ARGUMENT_HANDLER);
  REQUIRE(made == nullptr);
  CHECK(std::string(am_error_text())
            .starts_with("rank 1 could not do its part (handlers.numbers): it has too many"));
}

TEST_CASE("a rank that cannot number its handlers takes part in the fence, and says why") {
  auto boot = traced_hosts();
  std::vector<std::string> many;
  for (std::size_t i = 0; i <= core::most_handlers; ++i) many.push_back("1" + std::to_string(i));
  boot->others_put(1, "handlers.keys", keys(many));
  unsigned fences = 0;
  boot->in_fence = [&] {
    ++fences;
    return AM_OK;
  };
  core::endpoint* made = nullptr;
  CHECK(core::endpoint::join(std::move(boot), {}, &made) == AM_ARGUMENT_HANDLER);
  REQUIRE(made == nullptr);
  CHECK(fences == 3);
  CHECK(std::string(am_error_text()).find("at most 65534 can be numbered") != std::string::npos);
}
