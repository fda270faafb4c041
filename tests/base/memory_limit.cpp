// The memory that control groups leave, read from file trees copied from real machines.
#include "fake_root.hpp"
#include "test_cgroup.hpp"

#include <libam/base/memory_limit.hpp>
#include <libam/base/shared_memory.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <string>

namespace base_memory_limit {

using namespace am::detail;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

// With control groups that limit memory.
class fake_root : public am_test::fake_root {
 public:
  fake_root& group(const std::string& path, const std::string& max, std::size_t current) {
    with("/sys/fs/cgroup" + path + "/memory.max", max);
    with("/sys/fs/cgroup" + path + "/memory.current", std::to_string(current));
    with("/sys/fs/cgroup" + path + "/memory.stat",
         "anon 5\nactive_file 1048576\nfile 3\ninactive_file 2097152");
    return *this;
  }
  [[nodiscard]] std::size_t remaining() const {
    return base::memory_limit::of_this_process(root()).remaining();
  }
};

}  // namespace

TEST_CASE("memory: without control groups or without a limit it is unlimited") {
  fake_root m;
  CHECK(m.remaining() == all);
  CHECK(base::memory_limit().remaining() == all);
  m.with("/proc/self/cgroup", "0::/a");
  CHECK(m.remaining() == all);
  m.group("/a", "max", mib).group("", "max", mib);
  CHECK(m.remaining() == all);
  m.with("/proc/self/cgroup", "7:memory:/a");
  m.with("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712");
  m.with("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000");
  CHECK(m.remaining() == all);
}

TEST_CASE("memory: the tightest group counts, and file pages that can be dropped are free") {
  fake_root m;
  m.with("/proc/self/cgroup", "0::/job/step");
  // The page cache is dropped first; 1 MiB is reserved.
  m.group("/job", std::to_string(100 * mib), 40 * mib);
  CHECK(m.remaining() == 62 * mib);
  m.group("/job/step", std::to_string(50 * mib), 40 * mib);
  CHECK(m.remaining() == 12 * mib);
  m.group("/job/step", std::to_string(50 * mib), 60 * mib);
  CHECK(m.remaining() == 0);
}

TEST_CASE("memory: version 1 counts a group with all groups below it") {
  fake_root m;
  const std::string group = "/sys/fs/cgroup/memory/docker/1";
  m.with("/proc/self/cgroup", "1:cpu:/\n7:memory:/docker/1\n0::/");
  m.with(group + "/memory.limit_in_bytes", std::to_string(64 * mib));
  m.with(group + "/memory.usage_in_bytes", std::to_string(10 * mib));
  m.with(group + "/memory.stat", "inactive_file 1\ntotal_inactive_file 2097152");
  CHECK(m.remaining() == 55 * mib);
}

TEST_CASE(
    "memory: a reservation beyond a real group's limit is refused, and no process is killed") {
  const am_test::test_cgroup group("memory", "memory.limit_in_bytes", "67108864", "memory.max",
                                   "67108864");
  if (!group.made()) {
    MESSAGE("no control group can be made here");
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (!group.enter()) ::_exit(2);
    base::fd file;
    base::shared_memory memory;
    if (base::shared_memory::create(file) != AM_OK ||
        memory.map(std::move(file), 1000 * mib) != AM_OK)
      ::_exit(3);
    std::size_t at = 0;
    while (at < 100 * mib && memory.reserve(at, mib) == AM_OK) {
      std::memset(memory.data() + at, 1, mib);
      at += mib;
    }
    ::_exit(at >= 20 * mib && at < 64 * mib ? 0 : 4);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace base_memory_limit
