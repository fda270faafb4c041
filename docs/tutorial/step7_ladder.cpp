// Step 7: Split-C. Each rank sums values that lie at the next rank, in five ways: from a read for
// every use of a value to all values in one message.
#include <am/splitc.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace am::splitc;

constexpr std::size_t values = 1000;  // at each rank
constexpr std::size_t uses = 8;       // of each value

class ring {
 public:
  explicit ring(world& w)
      : w_(w),
        mine_(values),
        copies_(values),
        next_(w.all_gather(w.global(mine_.data()))[(w.rank() + 1) % w.ranks()]),
        copies_before_(w.all_gather(w.global(copies_.data()))[before()]) {
    for (std::size_t i = 0; i < values; ++i) mine_[i] = static_cast<double>(w.rank() + i);
    w_.barrier();
  }

  double simple() {
    double sum = 0;
    for (std::size_t i = 0; i < values; ++i)
      for (std::size_t use = 0; use < uses; ++use) sum += *(next_ + i);
    return sum;
  }

  double bundle() {
    for (std::size_t i = 0; i < values; ++i) copies_[i] = *(next_ + i);
    return sum_of_copies();
  }

  double get() {
    for (std::size_t i = 0; i < values; ++i) w_.get(copies_[i], next_ + i);
    w_.sync();
    return sum_of_copies();
  }

  double store() {
    for (std::size_t i = 0; i < values; ++i) w_.store(copies_before_ + i, mine_[i]);
    w_.all_store_sync();
    return sum_of_copies();
  }

  double bulk() {
    w_.bulk_store(copies_before_, mine_.data(), values);
    w_.all_store_sync();
    return sum_of_copies();
  }

 private:
  [[nodiscard]] am::rank_id before() const { return (w_.rank() + w_.ranks() - 1) % w_.ranks(); }

  [[nodiscard]] double sum_of_copies() const {
    double sum = 0;
    for (const double copy : copies_) sum += uses * copy;
    return sum;
  }

  world& w_;
  std::vector<double> mine_;
  std::vector<double> copies_;        // of the values of the next rank
  global_ptr<double> next_;           // its values
  global_ptr<double> copies_before_;  // the copies that the rank before has of ours
};

// The requests that this rank has sent, and the answers to them.
double messages(world& w) {
  const am_traffic all = w.endpoint().stats().all;
  return static_cast<double>(all.requests + all.answers);
}

}  // namespace

int main(int argc, char** argv) {
  world w(argc, argv);
  ring r(w);
  const auto show = [&](const char* name, double (ring::*way)()) {
    const double before = messages(w);
    const double sum = (r.*way)();
    const double thousands = (messages(w) - before) / 1000;
    const double all = w.all_reduce(sum, std::plus<>());
    if (w.rank() == 0)
      std::printf("%-6s %2.0f thousand messages, sum %.0f\n", name, thousands, all);
  };
  show("simple", &ring::simple);
  show("bundle", &ring::bundle);
  show("get", &ring::get);
  show("store", &ring::store);
  show("bulk", &ring::bulk);
}
