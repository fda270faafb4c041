// Step 4: teams and collectives. All ranks integrate 4 / (1 + x * x) from 0 to 1, which is pi; then
// the job splits into two halves.
#include <am/team.hpp>

#include <cstdio>
#include <functional>

namespace {

// The part of one rank: the steps rank, rank + ranks, rank + 2 * ranks and so on.
double integrate(unsigned steps, am::rank_id rank, am::rank_id ranks) {
  double sum = 0;
  for (unsigned i = rank; i < steps; i += ranks) {
    const double x = (i + 0.5) / steps;
    sum += 4 / (1 + x * x);
  }
  return sum / steps;
}

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  am::team all(ep);  // collective

  const unsigned asked_for = all.rank() == 0 ? 1000000 : 0;  // rank 0 alone knows it
  const unsigned steps = all.broadcast(0, asked_for);
  const double pi = all.all_reduce(integrate(steps, all.rank(), all.ranks()), std::plus<>());
  if (all.rank() == 0) std::printf("pi is %.6f\n", pi);

  am::team half = all.split(all.rank() < all.ranks() / 2 ? 0 : 1);  // collective
  const am::rank_id last =
      half.all_reduce(all.rank(), [](am::rank_id a, am::rank_id b) { return a > b ? a : b; });
  std::printf("rank %u is rank %u of %u in its half, which ends with rank %u\n", all.rank(),
              half.rank(), half.ranks(), last);
} catch (const am::error& error) {
  std::fprintf(stderr, "step4_teams: %s\n", error.what());
  return 1;
}
