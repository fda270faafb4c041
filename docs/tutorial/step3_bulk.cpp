// Step 3: bulk data. Each rank stores a row into the memory of the next rank, gets a number from
// there, and adds to a counter of rank 0.
#include <am/am.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

namespace {

constexpr std::size_t row_size = 1000;

// The segment of each rank. It is zero at first.
struct board {
  std::array<double, row_size> row;  // the rank before stores here
  double number;                     // the rank before reads here
  am::word counter;                  // of rank 0: every rank adds here
};

unsigned ended = 0;  // of the three transfers that concern this rank

void row_is_here(am::request_token, void*, std::size_t) { ++ended; }
void number_is_here(am::reply_token, void*, std::size_t) { ++ended; }
void counted(am::reply_token, am::word) { ++ended; }

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  const am::segment memory = ep.all_segments(sizeof(board));  // collective
  const am::rank_id next = (ep.rank() + 1) % ep.ranks();
  auto* const mine = static_cast<board*>(memory.address());
  auto* const theirs = static_cast<board*>(memory.address_at(next));  // an address at that rank
  auto* const first = static_cast<board*>(memory.address_at(0));
  mine->number = ep.rank() + 0.5;
  ep.job_fence();  // every number is set

  std::array<double, row_size> row{};
  row.fill(ep.rank());
  ep.store<row_is_here>(next, &theirs->row, std::as_bytes(std::span(row)));

  double number = 0;
  ep.get<number_is_here>(next, &theirs->number, std::as_writable_bytes(std::span(&number, 1)));
  ep.fetch_add<counted>(0, &first->counter, 1);

  ep.wait([] { return ended == 3; });
  std::printf("rank %u: a row of %g, the number %g\n", ep.rank(), mine->row[row_size - 1], number);
  ep.job_fence();  // every rank has done so: rank 0 may read, and the segments may go
  if (ep.rank() == 0)
    std::printf("the counter is %llu\n", static_cast<unsigned long long>(mine->counter));
} catch (const am::error& error) {
  std::fprintf(stderr, "step3_bulk: %s\n", error.what());
  return 1;
}
