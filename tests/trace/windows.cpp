// The two windows of a trace: each record is read once, whenever the reader or the writer stops.
#include "counted.hpp"

#include <fcntl.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace trace_windows {
namespace {

using namespace trace_test;
using am::detail::trace::header_bytes;
using am::detail::trace::windows_end;
using am::detail::traces::read_head;

// True: the window has the requests that follow `left`, and then zeros. Each window but the first
// begins with a pause.
bool is_whole(const am::detail::traces::trace_head& head) {
  const auto windows = static_cast<std::uint32_t>(head.header.left / window_bytes);
  std::uint32_t next = windows == 0 ? 0 : 1 + windows * (records_of_window - 1);
  bool ended = false;
  for (std::uint32_t i = windows == 0 ? 0 : 1; i < head.window.size(); ++i) {
    const record& one = head.window[i];
    if (one.type() == kind::none)
      ended = true;
    else if (ended || one.type() != kind::request || one.sequence != next++)
      return false;
  }
  return true;
}

// This thread and those that it starts, so that one stops in the middle of what it does.
class on_one_cpu {
 public:
  on_one_cpu() {
    REQUIRE(::sched_getaffinity(0, sizeof before_, &before_) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before_)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  }
  on_one_cpu(const on_one_cpu&) = delete;
  on_one_cpu& operator=(const on_one_cpu&) = delete;
  ~on_one_cpu() { (void)::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace

TEST_CASE("each record is read once, however full the windows are") {
  const folder in;
  writer to;
  begin(to, in, 0, 1);
  std::uint32_t count = 0;
  for (; count < 3 * records_of_window; ++count) {
    to.add({kind::request, to.now(), 0, 0, 0, count});
    if (count % 64 < 2 || count % records_of_window < 4)
      REQUIRE(requests_in(in.of_rank(0)) == count + 1);
  }
}

TEST_CASE("a rank that was killed while it wrote a window has each record once") {
  const folder in;
  const std::string whole = file_with(in, records_of_window);
  CHECK(whole.size() == windows_end);
  for (const std::size_t written : {std::size_t{1}, window_bytes / 2, window_bytes}) {
    write_file(in.of_rank(0), whole + whole.substr(header_bytes, written));
    CHECK(requests_in(in.of_rank(0)) == records_of_window);
  }
}

TEST_CASE("what is read beside the writer is what it had written") {
  constexpr std::uint32_t events = 1000 * records_of_window;
  const folder in;
  writer to;
  begin(to, in, 0, 1, std::uint64_t{events} * sizeof(record) + windows_end);
  const on_one_cpu here;
  std::atomic<bool> has_ended = false;
  std::thread writes([&] {
    add_requests(to, events);
    has_ended = true;
  });
  std::uint64_t read = 0, whole = 0;
  while (!has_ended) {
    const am::detail::base::fd file(::open(in.of_rank(0).c_str(), O_RDONLY | O_CLOEXEC));
    const am::detail::traces::trace_head head = read_head(file, "it");
    ++read;
    whole += is_whole(head) ? 1 : 0;
  }
  writes.join();
  CHECK(read > 0);
  CHECK(whole == read);
  CHECK(requests_in(in.of_rank(0)) == events);
}

}  // namespace trace_windows
