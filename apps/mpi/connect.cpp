// Connected components over MPI, of the mesh of apps/splitc/connect, by another algorithm: ranks
// send each other the labels at the ends of the edges between them, and take lower ones over, until
// no label changes.
//
//   aggregated  as one would write it: the labels for each rank in one message
//   literal     a message for each label
#include "../common/connect_forest.hpp"
#include "../common/inputs.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"

namespace {

using namespace apps;
using namespace apps::connect;

class connect_program {
 public:
  connect_program(const options& from, std::size_t size)
      : from_(from),
        ranks_(count_ranks()),
        mesh_(from.seed, size),
        block_(static_cast<node>(size / ranks_)),
        first_(static_cast<node>(own_rank()) * block_),
        edges_(mesh_.edges_of(first_, block_)),
        parents_(block_),
        here_(parents_, first_) {}

  void run(phases& times) {
    times.begin("local");
    here_.join(edges_, mesh_.columns());
    find_ends();
    times.begin("global");
    int changed = 1;
    while (changed != 0) {
      changed = (from_.variant == "literal" ? send_one_by_one() : send_together()) ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    times.begin("label");
    for (std::size_t i = 0; i < roots_.size(); ++i) parents_[roots_[i] - first_] = labels_[i];
    here_.flatten(block_);
  }

  bool check() { return connect::are_right(mesh_, first_, parents_); }

 private:
  // Both ranks list the edges between them in the same order.
  void find_ends() {
    std::vector<std::vector<node>> ends(ranks_);
    const auto add = [&](node mine, node theirs) {
      ends[theirs / block_].push_back(here_.root(mine));
      roots_.push_back(ends[theirs / block_].back());
    };
    for (const auto& [from, to] : mesh_.edges_across(first_))
      if (to - first_ < block_) add(to, from);
    for (const auto& [from, to] : mesh_.edges_across(first_ + block_))
      if (from >= first_) add(from, to);
    std::ranges::sort(roots_);
    roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
    labels_ = roots_;
    ends_.resize(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r)
      for (const node root : ends[r])
        ends_[r].push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(roots_, root) - roots_.begin()));
  }

  // Has the component here got a lower label?
  bool lower(std::size_t component, node label) {
    if (label >= labels_[component]) return false;
    labels_[component] = label;
    return true;
  }

  // Has any component?
  bool send_together() {
    std::vector<MPI_Request> requests;
    std::vector<std::vector<node>> out(ranks_), in(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      if (ends_[r].empty()) continue;
      in[r].resize(ends_[r].size());
      for (const std::size_t each : ends_[r]) out[r].push_back(labels_[each]);
      const int count = static_cast<int>(in[r].size());
      MPI_Irecv(in[r].data(), count, MPI_UINT32_T, static_cast<int>(r), 0, MPI_COMM_WORLD,
                &requests.emplace_back());
      MPI_Isend(out[r].data(), count, MPI_UINT32_T, static_cast<int>(r), 0, MPI_COMM_WORLD,
                &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    bool changed = false;
    for (std::size_t r = 0; r < ranks_; ++r)
      for (std::size_t i = 0; i < in[r].size(); ++i) changed |= lower(ends_[r][i], in[r][i]);
    return changed;
  }

  struct offered_label {
    std::uint32_t from;  // the rank
    std::uint32_t end;   // of the edges between the two
    node label;
  };

  bool send_one_by_one() {
    bool changed = false;
    const auto take = [&](const offered_label& one) {
      changed |= lower(ends_[one.from][one.end], one.label);
    };
    std::size_t to_come = 0;
    for (const auto& each : ends_) to_come += each.size();
    single_messages<offered_label> messages(to_come);
    for (std::size_t r = 0; r < ranks_; ++r)
      for (std::size_t i = 0; i < ends_[r].size(); ++i)
        messages.send(static_cast<int>(r),
                      {first_ / block_, static_cast<std::uint32_t>(i), labels_[ends_[r][i]]}, take);
    messages.finish(take);
    return changed;
  }

  const options from_;
  const std::size_t ranks_;
  const mesh mesh_;
  const node block_;  // nodes of a rank
  const node first_;
  const std::vector<node_edges> edges_;
  std::vector<node> parents_;  // in the end the labels
  forest here_;
  std::vector<node> roots_;   // of the components here that have an edge to another rank
  std::vector<node> labels_;  // of these
  std::vector<std::vector<std::size_t>> ends_;  // by rank: the component of each edge's end here
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<connect_program>({inputs::connect,
                                    "Finds the connected components of a random mesh, over MPI.",
                                    {"aggregated", "literal"}},
                                   argc, argv);
}
