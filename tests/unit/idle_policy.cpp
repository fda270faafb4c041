// How long a rank spins before it sleeps, by how its sleeps ended.
#include <libam/core/idle_policy.hpp>

#include <doctest/doctest.h>

namespace unit_idle_policy {
namespace {

using namespace std::chrono_literals;
using am::detail::base::wait_mode;
using am::detail::core::idle_policy;

using action = idle_policy::action;

// Polls in vain until the policy says sleep.
std::chrono::nanoseconds time_until_sleep(idle_policy& policy) {
  const auto start = std::chrono::steady_clock::now();
  while (policy.on_empty_poll() != action::sleep) {
  }
  return std::chrono::steady_clock::now() - start;
}

}  // namespace

TEST_CASE("a rank spins for longer where messages come soon after it has fallen asleep") {
  idle_policy policy(wait_mode::automatic, false);
  CHECK(policy.spin_time() == 50us);
  CHECK(time_until_sleep(policy) >= 50us);
  for (const auto expected : {100us, 200us, 400us, 400us}) {
    policy.on_wake(30us, 1ms);
    policy.on_progress();
    CHECK(policy.spin_time() == expected);
    CHECK(time_until_sleep(policy) >= expected);
  }
}

TEST_CASE("a rank spins no longer where nothing comes for a while") {
  idle_policy policy(wait_mode::automatic, false);
  policy.on_wake(399us, 1ms);
  CHECK(policy.spin_time() == 100us);
  policy.on_wake(400us, 1ms);
  CHECK(policy.spin_time() == 50us);
}

TEST_CASE("the first time is that of the profile, and the longest stays") {
  idle_policy policy(wait_mode::automatic, false);
  policy.set_first_spin(27);
  CHECK(policy.spin_time() == 27us);
  CHECK(time_until_sleep(policy) >= 27us);
  for (const auto expected : {54us, 108us, 216us, 400us, 400us}) {
    policy.on_wake(30us, 1ms);
    CHECK(policy.spin_time() == expected);
  }
  policy.on_wake(400us, 1ms);
  CHECK(policy.spin_time() == 27us);
}

// As by wait_for with a short time, in a loop.
TEST_CASE("a short sleep that nothing has ended tells nothing") {
  idle_policy policy(wait_mode::automatic, false);
  policy.on_wake(100us, 100us);
  CHECK(policy.spin_time() == 50us);
}

}  // namespace unit_idle_policy
