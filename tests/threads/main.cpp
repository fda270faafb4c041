// The conformance suite in a job whose ranks are threads over one mapping:
//   test-threads RANKS CREDITS SLOTS yield|block|thread [PART OF A CASE NAME]
// thread: as block, with AM_PROGRESS=thread. test-threads-messages is the same with the suite of
// two-sided messages.
#include "../support/suite.hpp"
#include "../support/thread_job.hpp"
#include "../support/watchdog.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// A node of Boost.Lockfree's queue may be taken from the free list, or put back, while another
// thread reads its link; that thread discards the value, because a tag shows that it is stale. The
// list itself reads and writes the link as plain memory. A queue of Boost by itself causes both
// reports.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:boost::lockfree::detail::fixed_size_freelist*::allocate_impl\n"
         "race:boost::lockfree::detail::fixed_size_freelist*::deallocate_impl\n";
}

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(
        stderr,
        "usage: test-threads RANKS CREDITS SLOTS yield|block|thread [PART OF A CASE NAME]\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  am::detail::base::settings settings;
  settings.credits = number(2);
  settings.shm_slots = number(3);
  // The threads of one job are often more than the cores.
  const std::string_view how = argv[4];
  settings.wait =
      how == "yield" ? am::detail::base::wait_mode::yield : am::detail::base::wait_mode::block;
  settings.progress_thread = how == "thread";

  std::atomic<int> result{0};
  am_test::feed_watchdog(60, "joining");
  am_test::thread_job(number(1), settings).run([&](am_rank, const auto& join) {
    const bool hand_over_each = settings.credits == 1 || settings.shm_slots == 2;
    am_test::session job(join, hand_over_each ? 40 : 1);
    if (am_test::run_cases(job, true, argc > 5 ? argv[5] : "") != 0) result = 1;
    job.leave();
  });
  return result;
}
