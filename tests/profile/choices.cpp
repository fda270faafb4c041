// What follows from a profile, by profiles made up, and whether a profile is of this machine.
#include "made_profiles.hpp"

#include <libam/profile/lookup.hpp>

#include <am/detail/team_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace am::detail::profile;
using am_test::made_profile;

namespace {

const machine here{"A processor", 4, "Linux 6", "0.1.0"};

// The tree that teams take, in the time of the model: a rank sends to one child after another, as
// soon as it has the data.
double simulated_tree(const hop& one, unsigned ranks) {
  std::vector<double> has(ranks, 0);
  std::vector<am_rank> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const am_rank parent = queue[i];
    double begun = has[parent];
    const am::detail::team_tree tree(ranks, 0, parent);
    for (const auto& child : tree.children()) {
      has[child.rank] = begun + one.arrive;
      begun += one.send;
      queue.push_back(child.rank);
    }
  }
  return *std::ranges::max_element(has);
}

std::string why_not(const made_profile& of) { return judge(of.text(), "shm", here).why_not; }

}  // namespace

TEST_CASE("the tree of the model is the tree of the teams") {
  for (const hop& one : {hop{1, 1}, hop{0.25, 1}, hop{0, 1}, hop{3, 1}})
    for (unsigned ranks = 1; ranks <= 70; ++ranks)
      CHECK(tree_time(one, ranks) == doctest::Approx(simulated_tree(one, ranks)));
}

TEST_CASE("flat is (P - 2) sends and one hop") {
  CHECK(flat_time({10, 100}, 1) == 0);
  CHECK(flat_time({10, 100}, 2) == 100);
  CHECK(flat_time({10, 100}, 8) == 160);
}

TEST_CASE("flat is chosen while it takes nine tenths of the tree's time at most") {
  CHECK(flat_ranks({100, 100}) == 0);
  CHECK(flat_ranks({1, 1}) == 0);
  CHECK(flat_ranks({41, 100}) == 0);  // 4 ranks: 182, and 200 by the tree
  CHECK(flat_ranks({39, 100}) == 4);
  CHECK(flat_ranks({22.8, 102}) == 6);
  CHECK(flat_ranks({0.01, 1000}) == most_flat_ranks);
}

TEST_CASE("without a profile every team has its tree") {
  for (const std::size_t bytes : broadcast_sizes) CHECK(answers{}.flat_ranks_of(bytes) == 0);
}

TEST_CASE("a size is answered by the smallest measured one that is not less") {
  const figures costs{20, 30, 200, {{64, 10, 40, 150}, {4096, 200, 180, 500}}};
  CHECK(hop_of(costs, 16)->send == 30);
  CHECK(hop_of(costs, 16)->arrive == 100);
  CHECK(hop_of(costs, 17)->send == 40);
  CHECK(hop_of(costs, 64)->arrive == 150);
  CHECK(hop_of(costs, 65)->send == 200);
  CHECK(hop_of(costs, 65)->arrive == 500);
  CHECK_FALSE(hop_of(costs, 4097).has_value());
}

TEST_CASE("an answer holds up to its size, and larger data keeps the tree") {
  answers some;
  some.flat_ranks = {9, 8, 7, 6, 5, 4};
  CHECK(some.flat_ranks_of(0) == 9);
  CHECK(some.flat_ranks_of(16) == 9);
  CHECK(some.flat_ranks_of(17) == 8);
  CHECK(some.flat_ranks_of(16384) == 4);
  CHECK(some.flat_ranks_of(16385) == 0);
}

TEST_CASE("a direct barrier is one hop, and a message more for each rank beyond two") {
  CHECK(direct_barrier_time({{10, 100}, 15}, 1) == 0);
  CHECK(direct_barrier_time({{10, 100}, 15}, 2) == 100);
  CHECK(direct_barrier_time({{10, 100}, 15}, 5) == 130);
  CHECK(direct_barrier_time({{10, 100}, 40}, 5) == 160);
  for (const auto& [ranks, rounds] :
       {std::pair{1U, 0}, {2U, 1}, {3U, 2}, {4U, 2}, {5U, 3}, {8U, 3}})
    CHECK(barrier_in_rounds_time({10, 100}, ranks) == rounds * 100);
}

TEST_CASE("a barrier is direct while that takes nine tenths of its rounds at most") {
  figures costs{20, 10, 200, {}};
  CHECK_FALSE(barrier_hop_of(costs).has_value());
  CHECK(direct_barrier_ranks(costs) == 0);
  const std::pair<double, unsigned> of_o_r[] = {{71, 0}, {69, 3}, {41, 3}, {39, 5}, {5, 7}};
  for (const auto& [o_r, ranks] : of_o_r) {
    costs.o_r = o_r;
    CHECK(barrier_hop_of(costs)->send == std::max(20.0, o_r));
    CHECK(barrier_hop_of(costs)->busy == 20 + o_r);
    CHECK(direct_barrier_ranks(costs) == ranks);
    CHECK(choose(costs).direct_barrier_ranks == ranks);
  }
  CHECK(answers{}.direct_barrier_ranks == 0);
}

TEST_CASE("a rank spins for as long as a wake-up takes, within limits") {
  figures costs{20, 10, 200, {}};
  CHECK(spin_us(costs) == 0);
  const std::pair<double, unsigned> of_ns[] = {{4999, 0},   {5000, 5},     {27400, 27},
                                               {27600, 28}, {200000, 200}, {900000, 200}};
  for (const auto& [ns, us] : of_ns) {
    costs.wake_up = ns;
    CHECK(spin_us(costs) == us);
    CHECK(choose(costs).spin_us == us);
  }
}

TEST_CASE("a profile's figures make the answers") {
  const verdict fits = judge(made_profile().text(), "shm", here);
  REQUIRE(fits.why_not == "");
  const answers chosen = choose(*fits.costs);
  CHECK(chosen.flat_ranks_of(16) == flat_ranks({20, 100}));
  CHECK(chosen.flat_ranks_of(16) > 0);
  CHECK(chosen.flat_ranks_of(4096) == 0);
  CHECK(chosen.flat_ranks_of(16384) == 0);
  CHECK(chosen.spin_us == 27);
}

TEST_CASE("a profile of another machine, or libam, is not used") {
  const auto refusal = [](const std::string& fingerprint) {
    made_profile made;
    made.fingerprint = fingerprint;
    return why_not(made);
  };
  const auto differs = [](const std::string& theirs, const std::string& ours) {
    return "it is of \"" + theirs + "\", and here is \"" + ours + "\"";
  };
  CHECK(refusal("Another one; 4 cores; L1; KVM; Linux 6; libam 0.1.0; UCX none") ==
        differs("Another one", "A processor"));
  CHECK(refusal("A processor; 8 cores; L1; KVM; Linux 6; libam 0.1.0; UCX none") ==
        differs("8 cores", "4 cores"));
  CHECK(refusal("A processor; 4 cores; L1; KVM; Linux 5; libam 0.0.9; UCX none") ==
        differs("Linux 5", "Linux 6"));
  CHECK(refusal("A processor; 4 cores; L1; KVM; Linux 6; libam 0.0.9; UCX none") ==
        differs("libam 0.0.9", "libam 0.1.0"));
  CHECK(refusal("A processor; 4 cores; L1; KVM; Linux 6; libam 0.1.0") ==
        "its fingerprint does not name a UCX");
  CHECK(refusal("A processor; 4 cores") == differs("", "Linux 6"));
  CHECK(refusal("") == differs("", "A processor"));
  const std::string long_one =
      "A processor; 4 cores; L1 Data 32K, L1 Instruction 64K, L2 Unified 512K, L3 Unified 32768K; "
      "no hypervisor; ";
  CHECK(refusal(long_one + "Linux 5; libam 0.1.0; UCX 1.13.1") == differs("Linux 5", "Linux 6"));
  CHECK(refusal(long_one + "Linux 6; libam 0.0.9; UCX 1.13.1") ==
        differs("libam 0.0.9", "libam 0.1.0"));
  CHECK(refusal(long_one + "Linux 6; libam 0.1.0; UCX 1.13.1") == "");
  made_profile made;
  made.complete = "false";
  CHECK(why_not(made) == "it was not measured to the end, or on a machine that was unfit");
  made = {};
  made.transport = "tcp";
  CHECK(why_not(made) == "it does not know what shm costs");
  CHECK(judge("x", "shm", here).why_not == "this is no profile: '{' is missing at byte 0");
}
