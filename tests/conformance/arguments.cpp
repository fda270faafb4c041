// Bad arguments are errors of the call that has them, with both values in the text, and nothing is
// sent.
#include "../support/suite.hpp"

#include <string>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

thread_local unsigned ran = 0;
void on_small(am::request_token, am::word) { ++ran; }
void on_medium(am::request_token, bytes) { ++ran; }

bool text_has(const std::string& part) {
  return std::string(am_error_text()).find(part) != std::string::npos;
}

CASE("a rank outside the job is argument(rank)") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(16);
  for (const am::rank_id to : {job.ranks(), job.ranks() + 1, ~am::rank_id{0}}) {
    EXPECT_EQ(am_test::thrown_by([&] { ep.request<on_small>(to, 1); }),
              am::status(AM_ARGUMENT_RANK));
    EXPECT(text_has(std::to_string(to)));
    EXPECT(text_has(std::to_string(job.ranks() - 1)));  // the last rank
    EXPECT_EQ(ep.try_request<on_small>(to, 1), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(am_test::thrown_by([&] { ep.request<on_medium>(to, data); }),
              am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(ep.try_request<on_medium>(to, data), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(am_test::thrown_by([&] { ep.fence(to); }), am::status(AM_ARGUMENT_RANK));
  }
  ep.job_fence();
  EXPECT_EQ(ran, 0U);
}

CASE("a payload above max_medium is argument(size)") {
  auto& ep = job.ep();
  const std::vector<std::byte> data(ep.max_medium() + 1);
  EXPECT_EQ(am_test::thrown_by([&] { ep.request<on_medium>(job.next(), data); }),
            am::status(AM_ARGUMENT_SIZE));
  EXPECT(text_has(std::to_string(data.size())));
  EXPECT(text_has(std::to_string(ep.max_medium())));
  EXPECT_EQ(ep.try_request<on_medium>(job.next(), data), am::status(AM_ARGUMENT_SIZE));
  // Only the size is checked: the bytes are never read.
  EXPECT_EQ(am_ep_request_medium(ep.raw(), job.next(), &am::detail::entry_of<on_medium>::entry,
                                 data.data(), ~std::size_t{0}, 0, 0, 0, 0),
            AM_ARGUMENT_SIZE);
  ep.job_fence();
  EXPECT_EQ(ran, 0U);
}

CASE("no handler, or one that was never registered, is argument(handler)") {
  am_ep* ep = job.ep().raw();
  const am_handler unregistered{[](am_token, const am_word*, const void*, std::size_t) {},
                                "unregistered",
                                "unregistered",
                                nullptr,
                                AM_HANDLER_UNNUMBERED,
                                0};
  for (const am_handler* bad : {static_cast<const am_handler*>(nullptr), &unregistered}) {
    EXPECT_EQ(am_ep_request(ep, job.next(), bad, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_try_request(ep, job.next(), bad, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_request_medium(ep, job.next(), bad, "x", 1, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
    EXPECT_EQ(am_ep_try_request_medium(ep, job.next(), bad, "x", 1, 0, 0, 0, 0),
              AM_ARGUMENT_HANDLER);
  }
}

CASE("the error that is thrown has status and text") {
  try {
    job.ep().request<on_small>(job.ranks(), 1);
    EXPECT(false);
  } catch (const am::error& e) {
    EXPECT_EQ(e.status(), am::status(AM_ARGUMENT_RANK));
    EXPECT_EQ(std::string(e.what()), std::string(am_error_text()));
    EXPECT(std::string(e.what()).find('\n') == std::string::npos);
  }
}

CASE("every status has a text of its own") {
  EXPECT_EQ(std::string(am_status_text(AM_OK)), std::string("ok"));
  EXPECT_EQ(std::string(am_status_text(AM_AGAIN_CREDIT)), std::string("again(credit)"));
  EXPECT_EQ(std::string(am_status_text(AM_USAGE_IN_HANDLER)), std::string("usage(in_handler)"));
  EXPECT_EQ(std::string(am_status_text(AM_ARGUMENT_RANK)), std::string("argument(rank)"));
  EXPECT_EQ(std::string(am_status_text(AM_PEER_DEAD)), std::string("peer(dead)"));
  EXPECT_EQ(std::string(am_version()), std::string(AM_VERSION_STRING));
}

}  // namespace
