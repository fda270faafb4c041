// em3d over MPI, on the graph of apps/splitc/em3d.
//
//   aggregated  as one would write it: the values for each rank in one message of it
//   literal     a message for each value, as in Split-C
#include "../common/em3d_graph.hpp"
#include "../common/inputs.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"

#include <algorithm>
#include <span>

namespace {

using namespace apps;
using namespace apps::em3d;

// The nodes of a kind at this rank, and copies of those at others that this rank needs.
struct nodes {
  std::vector<double> values;
  std::vector<weighted_source> sources;
  std::vector<double> ghosts;                      // by rank
  std::vector<std::size_t> ghosts_from;            // the first of each rank, and the end
  std::vector<std::vector<std::uint32_t>> wanted;  // by rank: which of ours it needs
  std::vector<std::size_t> placed_at;              // by rank: where it keeps the first of them
};

class em3d_program {
 public:
  em3d_program(const options& from, std::size_t size)
      : from_(from),
        ranks_(count_ranks()),
        rank_(static_cast<std::uint32_t>(own_rank())),
        graph_(from.seed, ranks_, size / 2) {
    for (const kind each : {electric, magnetic}) make_values(each);
    for (const kind each : {electric, magnetic}) make_edges(each);
  }

  void run(phases& times) {
    for (unsigned i = 0; i < steps_of(from_); ++i) {
      times.begin("electric");
      half_step(parts_[electric], parts_[magnetic]);
      times.begin("magnetic");
      half_step(parts_[magnetic], parts_[electric]);
    }
  }

  bool check() { return are_right(graph_, steps_of(from_), rank_, parts_); }

 private:
  void make_values(kind each) {
    for (std::uint32_t i = 0; i < graph_.nodes(); ++i)
      parts_[each].values.push_back(graph_.first_value(each, {rank_, i}));
  }

  void make_edges(kind each) {
    nodes& mine = parts_[each];
    nodes& theirs = parts_[other(each)];
    const std::vector<node_id> remote = graph_.remote_nodes(each, rank_);
    theirs.ghosts.resize(remote.size());
    for (std::uint32_t r = 0; r <= ranks_; ++r)
      theirs.ghosts_from.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(remote, node_id{r, 0}) - remote.begin()));
    for (std::uint32_t i = 0; i < graph_.nodes(); ++i)
      for (unsigned d = 0; d < degree; ++d) {
        const auto [from, weight] = graph_.edge_to(each, {rank_, i}, d);
        const auto ghost = std::ranges::lower_bound(remote, from) - remote.begin();
        mine.sources.push_back({from.rank == rank_
                                    ? &theirs.values[from.index]
                                    : &theirs.ghosts[static_cast<std::size_t>(ghost)],
                                weight});
      }
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const std::vector<node_id> needed = graph_.remote_nodes(each, r);
      const auto begin = std::ranges::lower_bound(needed, node_id{rank_, 0});
      theirs.placed_at.push_back(static_cast<std::size_t>(begin - needed.begin()));
      theirs.wanted.emplace_back();
      for (auto one = begin; one != needed.end() && one->rank == rank_; ++one)
        theirs.wanted.back().push_back(one->index);
    }
  }

  void half_step(nodes& mine, nodes& theirs) {
    if (from_.variant == "literal")
      send_one_by_one(theirs);
    else
      send_together(theirs);
    update(mine.values, mine.sources);
  }

  void send_together(nodes& of) {
    std::vector<MPI_Request> requests;
    for (std::size_t r = 0; r < ranks_; ++r) {
      const std::size_t count = of.ghosts_from[r + 1] - of.ghosts_from[r];
      if (count == 0) continue;
      requests.emplace_back();
      MPI_Irecv(&of.ghosts[of.ghosts_from[r]], static_cast<int>(count), MPI_DOUBLE,
                static_cast<int>(r), 0, MPI_COMM_WORLD, &requests.back());
    }
    packed_.resize(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      if (of.wanted[r].empty()) continue;
      packed_[r].clear();
      for (const std::uint32_t index : of.wanted[r]) packed_[r].push_back(of.values[index]);
      requests.emplace_back();
      MPI_Isend(packed_[r].data(), static_cast<int>(packed_[r].size()), MPI_DOUBLE,
                static_cast<int>(r), 0, MPI_COMM_WORLD, &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  struct placed_value {
    std::size_t ghost;
    double value;
  };

  void send_one_by_one(nodes& of) {
    const auto place = [&](const placed_value& one) { of.ghosts[one.ghost] = one.value; };
    single_messages<placed_value> messages(of.ghosts.size());
    for (std::size_t r = 0; r < ranks_; ++r)
      for (std::size_t i = 0; i < of.wanted[r].size(); ++i)
        messages.send(static_cast<int>(r), {of.placed_at[r] + i, of.values[of.wanted[r][i]]},
                      place);
    messages.finish(place);
    MPI_Barrier(MPI_COMM_WORLD);  // before messages of the next half step
  }

  const options from_;
  const std::size_t ranks_;
  const std::uint32_t rank_;
  const graph graph_;
  std::array<nodes, 2> parts_;
  std::vector<std::vector<double>> packed_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<em3d_program>(
      {inputs::em3d,
       "Computes electromagnetic waves on a graph over all ranks, over MPI.",
       {"aggregated", "literal"}},
      argc, argv);
}
