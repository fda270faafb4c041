// barriers: compares the barrier of libam with that of the C library, which sleeps on a futex; the
// same processes run both alternately. Started by hand, usually on fewer CPUs than ranks:
//
//   taskset -c 0,1 am-run -n 8 lib/am/calib/barriers
//
// A sample is `in_a_row` barriers, timed at rank 0. Low and high enclose the median with 95 %; a
// ratio is of two consecutive samples.
#include <calib/statistics.hpp>

#include <am/clock.hpp>
#include <am/team.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t samples = 101;
constexpr unsigned in_a_row = 50;

[[noreturn]] void stop(const char* what) {
  std::perror(what);
  std::exit(1);
}

// In shared memory: a file that rank 0 creates and unlinks after all ranks have mapped it.
class c_barrier {
 public:
  explicit c_barrier(am::endpoint& ep) {
    std::string name = "/dev/shm/am-barriers-XXXXXX";
    const bool creator = ep.rank() == 0;
    int file = creator ? ::mkostemp(name.data(), O_CLOEXEC) : -1;
    if (creator && (file < 0 || ::ftruncate(file, sizeof(pthread_barrier_t)) != 0))
      stop(name.c_str());
    ep.job_put("barriers.file", std::as_bytes(std::span(name)));
    ep.job_fence();
    if (!creator) {
      const std::vector<std::byte> path = ep.job_get(0, "barriers.file");
      name.assign(reinterpret_cast<const char*>(path.data()), path.size());
      file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    }
    void* at =
        ::mmap(nullptr, sizeof(pthread_barrier_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) stop("the memory of a barrier");
    ::close(file);
    barrier_ = static_cast<pthread_barrier_t*>(at);
    if (creator) {
      pthread_barrierattr_t shared;
      ::pthread_barrierattr_init(&shared);
      ::pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
      if (::pthread_barrier_init(barrier_, &shared, ep.ranks()) != 0) stop("pthread_barrier_init");
    }
    ep.job_fence();
    if (creator) ::unlink(name.c_str());
  }
  void wait() { ::pthread_barrier_wait(barrier_); }

 private:
  pthread_barrier_t* barrier_ = nullptr;
};

// Microseconds per barrier.
template <class Barrier>
double barrier_us(const am::clock& clock, Barrier&& barrier) {
  const auto start = clock.now();
  for (unsigned i = 0; i < in_a_row; ++i) barrier();
  return clock.ns(clock.now() - start) / 1000 / in_a_row;
}

void print(const char* what, const std::vector<double>& values) {
  const calib::estimate e = calib::estimate_of(values);
  std::printf("%-18s %9.2f %9.2f %9.2f\n", what, e.median, e.interval->low, e.interval->high);
}

}  // namespace

int main(int argc, char** argv) {
  const am::clock clock;
  am::endpoint ep = am::join(argc, argv);
  am::team all(ep);
  c_barrier other(ep);
  std::vector<double> by_am;
  std::vector<double> by_c;
  std::vector<double> ratios;
  // The first 10 samples warm up.
  for (std::size_t i = 0; i < samples + 10; ++i) {
    const double am = barrier_us(clock, [&] { all.barrier(); });
    const double c = barrier_us(clock, [&] { other.wait(); });
    if (i < 10) continue;
    by_am.push_back(am);
    by_c.push_back(c);
    ratios.push_back(am / c);
  }
  ep.job_fence();
  if (ep.rank() == 0) {
    std::printf("barrier of %u ranks    median       low      high\n", ep.ranks());
    print("am::team, us", by_am);
    print("pthread, us", by_c);
    print("ratio", ratios);
  }
}
