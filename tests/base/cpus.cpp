// The CPUs of this process, and the memory barrier across them.
#include <libam/base/cpus.hpp>
#include <libam/base/membarrier.hpp>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

using namespace am::detail;

TEST_CASE("the allowed CPUs are those of the affinity mask") {
  const auto all = base::allowed_cpus();
  REQUIRE(!all.empty());
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(base::count_allowed_cpus() == base::limit_to_quota(static_cast<unsigned>(all.size())));
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(all.back(), &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(base::allowed_cpus() == std::vector<unsigned>{all.back()});
  CHECK(base::count_allowed_cpus() == 1);
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(base::allowed_cpus() == all);
}

TEST_CASE("the barrier can be registered more than once, and issued") {
  if (!base::register_membarrier()) {
    MESSAGE("this kernel has no expedited membarrier");
    return;
  }
  CHECK(base::register_membarrier());
  base::issue_membarrier();
}
