#include <calib/program/line_meter.hpp>

#include <calib/program/cpu.hpp>

#include <am/clock.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace calib::line_meter {
namespace {

constexpr double patience_ns = 200e6;      // until the other process counts as gone
constexpr double way_back_ns = 5e3;        // of the other process from its signal handler
constexpr unsigned spins_per_look = 4096;  // at the clock

line_page* page = nullptr;
std::uint64_t calls = 0;

const am::clock& watch() {
  static const am::clock clock;
  return clock;
}

// In a tight loop without a pause, which would round the time up. False: out of patience, or the
// call was given up.
bool wait_for(const std::atomic<std::uint64_t>& what, std::uint64_t value, const line_page& on,
              std::uint64_t call) {
  std::uint64_t first_look = 0;
  for (unsigned spins = 1; what.load(std::memory_order_acquire) != value; ++spins) {
    if (spins % spins_per_look != 0) continue;
    if (on.given_up.load(std::memory_order_acquire) >= call) return false;
    const std::uint64_t now = watch().now();
    if (first_look == 0) first_look = now;
    if (watch().ns(now - first_look) > patience_ns) return false;
  }
  return true;
}

// The numbers of a call lie above those of all calls before.
std::uint64_t first_number(std::uint64_t call) { return call * 2 * trips_per_line; }

// Of a signal that comes late the call may have been followed, or given up.
void answer(int) {
  const int kept = errno;
  const std::uint64_t call = page->called.load(std::memory_order_acquire);
  if (page->present.load(std::memory_order_relaxed) < call) (void)serve(*page, call);
  errno = kept;
}

// The times of the lines. Nothing: the other process is gone, or late.
std::optional<std::array<double, line_page::line_count>> measure_lines(line_page& on,
                                                                       std::uint64_t call) {
  if (!wait_for(on.present, call, on, call)) return std::nullopt;
  std::array<double, line_page::line_count> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::atomic<std::uint64_t>& number = on.lines[i].number;
    const std::uint64_t start = watch().now();
    for (std::uint64_t trip = 0, n = first_number(call) + 1; trip < trips_per_line;
         ++trip, n += 2) {
      number.store(n, std::memory_order_release);
      if (!wait_for(number, n + 1, on, call)) return std::nullopt;
    }
    times[i] = (watch().ns(watch().now() - start) - watch().cost_ns()) / trips_per_line;
  }
  return times;
}

double time_pace() {
  const std::uint64_t start = watch().now();
  processor::compute(pace_steps);
  return watch().ns(watch().now() - start) - watch().cost_ns();
}

// A real-time signal, of which no library here makes use.
int number_of_signal() { return SIGRTMIN + 6; }

// Null: `why_not` says why.
line_page* map_page(const char* path, std::string& why_not) {
  const auto failed = [&](const char* call) {
    why_not = std::string(call) + ' ' + path + ": " + std::strerror(errno);
    return nullptr;
  };
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return failed("open");
  void* const at = ::mmap(nullptr, sizeof(line_page), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_POPULATE, file, 0);
  const auto mapped = at == MAP_FAILED ? failed("mmap") : static_cast<line_page*>(at);
  ::close(file);
  return mapped;
}

}  // namespace

std::string join(int rank) {
  const char* const path = std::getenv("CALIB_LINE");
  std::string why_not;
  page = path == nullptr ? nullptr : map_page(path, why_not);
  if (page == nullptr) return why_not;
  (void)watch();  // its first use takes longer than either side waits
  if (rank != 1) return {};
  struct sigaction called {};
  called.sa_handler = answer;
  called.sa_flags = SA_RESTART;
  ::sigaction(number_of_signal(), &called, nullptr);
  page->process.store(::getpid());
  page->thread.store(static_cast<std::int32_t>(::syscall(SYS_gettid)), std::memory_order_release);
  return {};
}

std::optional<cpu_state> take() {
  if (page == nullptr) return std::nullopt;
  const std::int32_t thread = page->thread.load(std::memory_order_acquire);
  if (thread == 0) return std::nullopt;
  page->called.store(++calls, std::memory_order_release);
  if (::syscall(SYS_tgkill, page->process.load(), thread, number_of_signal()) != 0)
    return std::nullopt;
  const std::optional<cpu_state> found = measure(*page, calls);
  constexpr int most_missed = 3;
  static int missed = 0;
  missed = found ? 0 : missed + 1;
  if (missed == most_missed) page = nullptr;  // it would be waited for before every sample
  for (const std::uint64_t end = watch().now(); watch().ns(watch().now() - end) < way_back_ns;) {
  }
  return found;
}

bool serve(line_page& on, std::uint64_t call) {
  on.present.store(call, std::memory_order_release);
  for (line_page::line& line : on.lines)
    for (std::uint64_t trip = 0, n = first_number(call) + 1; trip < trips_per_line;
         ++trip, n += 2) {
      if (!wait_for(line.number, n, on, call)) return false;
      line.number.store(n + 1, std::memory_order_release);
    }
  on.pace = time_pace();
  on.paced.store(call, std::memory_order_release);  // acquired by measure()
  return true;
}

std::optional<cpu_state> measure(line_page& on, std::uint64_t call) {
  std::optional<std::array<double, line_page::line_count>> times = measure_lines(on, call);
  const double own_pace = times ? time_pace() : 0;
  if (!times || !wait_for(on.paced, call, on, call)) {
    on.given_up.store(call, std::memory_order_release);
    return std::nullopt;
  }
  const auto middle = times->begin() + times->size() / 2;
  std::ranges::nth_element(*times, middle);
  return cpu_state{*middle, {own_pace, on.pace}};
}

}  // namespace calib::line_meter
