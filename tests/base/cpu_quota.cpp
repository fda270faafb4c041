// The CPU time that control groups allow, read from file trees copied from real machines.
#include "fake_root.hpp"
#include "test_cgroup.hpp"

#include <libam/base/cpus.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <string>

using namespace am::detail;

namespace {

// With control groups that limit CPU time.
class fake_root : public am_test::fake_root {
 public:
  fake_root& group(const std::string& path, const std::string& max) {
    with("/sys/fs/cgroup" + path + "/cpu.max", max);
    return *this;
  }
  fake_root& old_group(const std::string& path, const std::string& quota) {
    with("/sys/fs/cgroup" + path + "/cpu.cfs_quota_us", quota);
    with("/sys/fs/cgroup" + path + "/cpu.cfs_period_us", "100000");
    return *this;
  }
  [[nodiscard]] double quota() const { return base::cpu_quota(root()); }
};

}  // namespace

TEST_CASE(
    "without control groups, without a limit, or with malformed files, CPU time is unlimited") {
  fake_root m;
  CHECK(std::isinf(m.quota()));
  m.with("/proc/self/cgroup", "0::/a/b");
  CHECK(std::isinf(m.quota()));
  m.group("/a/b", "max 100000").group("/a", "max 100000");
  CHECK(std::isinf(m.quota()));
  m.group("/a", "").with("/proc/self/cgroup", "what\n::\n0::x\n3:cpu");
  CHECK(std::isinf(m.quota()));
}

TEST_CASE("version 2: the smallest limit of all groups up to the root") {
  fake_root m;
  m.with("/proc/self/cgroup", "0::/user.slice/job.scope/step");
  m.group("/user.slice/job.scope/step", "max 100000");
  m.group("/user.slice/job.scope", "250000 100000");
  m.group("/user.slice", "800000 100000");
  CHECK(m.quota() == 2.5);
  m.group("/user.slice", "100000 200000");
  CHECK(m.quota() == 0.5);
  m.group("/user.slice/job.scope/step", "20000 100000");
  CHECK(m.quota() == 0.2);
}

TEST_CASE("version 2 in a container: the group is the visible root") {
  fake_root m;
  m.with("/proc/self/cgroup", "0::/");
  m.group("", "150000 100000");
  CHECK(m.quota() == 1.5);
  // A path of the host: the container sees only its last group.
  m.with("/proc/self/cgroup", "0::/system.slice/docker-1234.scope");
  CHECK(m.quota() == 1.5);
}

TEST_CASE("version 1: the cpu controller, alone and mounted with cpuacct") {
  fake_root m;
  m.with("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/12\n3:cpuset:/x");
  m.old_group("/cpu,cpuacct/docker/12", "300000").old_group("/cpu,cpuacct/docker", "-1");
  CHECK(m.quota() == 3);
  m.old_group("/cpu,cpuacct", "200000");
  CHECK(m.quota() == 2);
  fake_root alone;
  alone.with("/proc/self/cgroup", "2:cpuacct:/\n1:cpu:/a\n0::/");
  alone.old_group("/cpu/a", "50000");
  alone.old_group("/cpuacct", "10000");
  CHECK(alone.quota() == 0.5);
  fake_root other_order;
  other_order.with("/proc/self/cgroup", "4:cpuacct,cpu:/a");
  other_order.old_group("/cpu/a", "50000");
  CHECK(other_order.quota() == 0.5);
}

TEST_CASE("both versions at once: version 2 has its own folder") {
  fake_root m;
  m.with("/proc/self/cgroup", "1:cpu:/a\n0::/b");
  m.old_group("/cpu/a", "400000");
  m.group("/unified/b", "300000 100000");
  CHECK(m.quota() == 3);
}

TEST_CASE("the quota is rounded to whole CPUs, at least one") {
  constexpr double none = INFINITY;
  CHECK(base::limit_to_quota(8, none) == 8);
  CHECK(base::limit_to_quota(8, 8) == 8);
  CHECK(base::limit_to_quota(8, 7.9) == 7);
  CHECK(base::limit_to_quota(8, 2.5) == 2);
  CHECK(base::limit_to_quota(8, 0.5) == 1);
  CHECK(base::limit_to_quota(1, none) == 1);
}

TEST_CASE("a real control group that is limited to one CPU") {
  const am_test::test_cgroup group("cpu", "cpu.cfs_quota_us", "100000", "cpu.max", "100000 100000");
  if (!group.made()) {
    MESSAGE("no control group can be made here");
    return;
  }
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(!group.enter() ? 2 : base::cpu_quota() <= 1 && base::count_allowed_cpus() == 1 ? 0 : 1);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
