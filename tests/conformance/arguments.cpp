// Bad arguments come back as the error of the call that made them, name both values, and nothing is
// sent.
#include "../support/suite.hpp"

#include <string>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

thread_local unsigned ran = 0;
void take(am::request_token, am::word) { ++ran; }
void take_medium(am::request_token, bytes) { ++ran; }

bool text_has(const std::string& part) {
  return std::string(am_error_text()).find(part) != std::string::npos;
}

CASE("a rank that is not of the job is argument(rank)") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(16);
  for (const am::rank_id to : {job.ranks(), job.ranks() + 1, ~am::rank_id{0}}) {
    EXPECT_EQ(am_test::thrown_by([&] { ep.request<take>(to, 1); }), am::status(AM_ARGUMENT_RANK));
    EXPECT(text_has(std::to_string(to)));
    EXPECT(text_has(std::to_string(job.ranks() - 1)));  // the last that there is
    EXPECT_EQ(ep.try_request<take>(to, 1), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(am_test::thrown_by([&] { ep.request<take_medium>(to, data); }),
              am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(ep.try_request<take_medium>(to, data), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(am_test::thrown_by([&] { ep.fence(to); }), am::status(AM_ARGUMENT_RANK));
  }
  ep.job_fence();
  EXPECT_EQ(ran, 0U);
}

CASE("a payload above max_medium is argument(size)") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(ep.max_medium() + 1);
  EXPECT_EQ(am_test::thrown_by([&] { ep.request<take_medium>(job.next(), data); }),
            am::status(AM_ARGUMENT_SIZE));
  EXPECT(text_has(std::to_string(data.size())));
  EXPECT(text_has(std::to_string(ep.max_medium())));
  EXPECT_EQ(ep.try_request<take_medium>(job.next(), data), am::status(AM_ARGUMENT_SIZE));
  // Only the size is looked at: the bytes are never touched.
  EXPECT_EQ(am_ep_request_medium(ep.raw(), job.next(), &am::detail::entry_of<take_medium>::entry,
                                 data.data(), ~std::size_t{0}, 0, 0, 0, 0),
            AM_ARGUMENT_SIZE);
  ep.job_fence();
  EXPECT_EQ(ran, 0U);
}

CASE("no handler, or one that was never registered, is argument(handler)") {
  am_ep* ep = job.ep().raw();
  const am_handler stranger{[](am_token, const am_word*, const void*, std::size_t) {},
                            "stranger",
                            "stranger",
                            nullptr,
                            AM_HANDLER_UNNUMBERED,
                            0};
  for (const am_handler* bad : {static_cast<const am_handler*>(nullptr), &stranger}) {
    EXPECT_EQ(am_ep_request(ep, job.next(), bad, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_try_request(ep, job.next(), bad, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_request_medium(ep, job.next(), bad, "x", 1, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_try_request_medium(ep, job.next(), bad, "x", 1, 0, 0, 0, 0),
              AM_ARGUMENT_HANDLER);
  }
}

CASE("the error that is thrown carries status and line") {
  try {
    job.ep().request<take>(job.ranks(), 1);
    EXPECT(false);
  } catch (const am::error& e) {
    EXPECT_EQ(e.status(), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(std::string(e.what()), std::string(am_error_text()));
    EXPECT(std::string(e.what()).find('\n') == std::string::npos);
  }
}

CASE("every status has words of its own") {
  EXPECT_EQ(std::string(am_status_text(AM_OK)), std::string("ok"));
  EXPECT_EQ(std::string(am_status_text(AM_AGAIN_CREDIT)), std::string("again(credit)"));
  EXPECT_EQ(std::string(am_status_text(AM_USAGE_IN_HANDLER)), std::string("usage(in_handler)"));
  EXPECT_EQ(std::string(am_status_text(AM_ARGUMENT_RANK)), std::string("argument(rank)"));
  EXPECT_EQ(std::string(am_status_text(AM_PEER_DEAD)), std::string("peer(dead)"));
  EXPECT_EQ(std::string(am_version()), std::string(AM_VERSION_STRING));
}

}  // namespace
