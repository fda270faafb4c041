// The identity of a handler does not depend on its name: static functions, lambdas and template
// instances of equal names in two files, and handlers with explicit names.
#include "identity.hpp"

#include "../support/suite.hpp"

namespace id = am_test::identity;

namespace {

thread_local unsigned named_ran = 0;
void named(am::request_token, int) { ++named_ran; }

}  // namespace

AM_HANDLER(named, "conformance.named");

namespace {

CASE("handlers of equal names in two files are distinct") {
  // Different numbers of each, so that a mix-up cannot cancel out.
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    id::send_from_a(job.ep(), to);
    id::send_from_b(job.ep(), to);
    id::send_from_b(job.ep(), to);
  }
  const unsigned n = job.ranks();
  const id::run_counts in_a{n, n, {n, n}};
  const id::run_counts in_b{2 * n, 2 * n, {2 * n, 2 * n}};
  job.ep().wait([&] { return id::counts_in_b() == in_b && id::counts_in_a() == in_a; });
}

CASE("a handler with a name is reached") {
  for (am::rank_id to = 0; to < job.ranks(); ++to) job.ep().request<named>(to, 1);
  job.ep().wait([&] { return named_ran == job.ranks(); });
}

// ---- handlers that cannot be numbered ----

void twin_one(am_token, const am_word*, const void*, std::size_t) {}
void twin_two(am_token, const am_word*, const void*, std::size_t) {}

CASE("update_handlers that fails at one rank fails at all, and all ranks continue",
     .processes = true) {
  auto& ep = job.ep();
  am_handler one{twin_one, "conformance.twin", "twin", nullptr, AM_HANDLER_UNNUMBERED, 0};
  am_handler two{twin_two, "conformance.twin", "twin", nullptr, AM_HANDLER_UNNUMBERED, 0};
  const bool mine = job.rank() == job.ranks() - 1;
  if (mine) {
    am_handler_register(&one);
    am_handler_register(&two);
  }
  EXPECT_EQ(am_test::thrown_by([&] { ep.update_handlers(); }), am::status(AM_ARGUMENT_HANDLER));
  if (mine) {
    am_handler_unregister(&one);
    am_handler_unregister(&two);
  }
  ep.update_handlers();
  const unsigned before = named_ran;
  ep.job_fence();
  ep.request<named>(job.next(), 1);
  ep.wait([&] { return named_ran == before + 1; });
  ep.job_fence();
}

// ---- stateless lambdas and noexcept functions ----

thread_local unsigned forms = 0;
void quiet(am::request_token) noexcept { ++forms; }

CASE("lambdas and noexcept functions are handlers") {
  constexpr auto closure = [](am::request_token, int step) {
    forms += static_cast<unsigned>(step);
  };
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    job.ep().request<closure>(to, 10);
    job.ep().request<quiet>(to);
  }
  job.ep().wait([&] { return forms == 11 * job.ranks(); });
}

}  // namespace
