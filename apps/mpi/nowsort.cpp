// NOW-sort over MPI, as apps/splitc/nowsort, but the records for all ranks go there at once, after
// the whole file has been read (MPI_Alltoallv). Pieces that are sent while reading goes on
// (MPI_Isend) took 1.3 to 2 times as long.
#include "../common/inputs.hpp"
#include "../common/record_sort.hpp"
#include "mpi_program.hpp"

namespace {

using namespace apps;
using namespace apps::nowsort;

class now_sort {
 public:
  now_sort(const options& from, std::size_t size)
      : rank_(own_rank()),
        ranks_(count_ranks()),
        block_(size / ranks_),
        room_(room_for(block_, ranks_)),
        files_(from.seed, block_ * rank_, block_),
        packed_(room_ * ranks_),
        received_(room_ * ranks_),
        received_counts_(ranks_) {}

  void run(phases& times) {
    times.begin("send");
    send(pack());
    times.begin("sort");
    std::vector<sort_entry> entries = entries_of(received_, room_, received_counts_);
    sort_entries(entries, rank_, ranks_);
    times.begin("write");
    write_records(entries, received_, files_.output);
  }

  bool check() {
    const summaries mine = files_.summarize();
    std::vector<summaries> all(ranks_);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    return are_sorted(all);
  }

 private:
  // Returns how many records there are for each rank.
  std::vector<int> pack() {
    std::vector<int> counts(ranks_);
    std::vector<record> chunk(records_at_once);
    for (auto next = files_.input.read(chunk); !next.empty(); next = files_.input.read(chunk))
      for (const record& one : next) {
        const std::size_t to = part_of(high_part(one.key), ranks_);
        const auto before = static_cast<std::size_t>(counts[to]++);
        check_room_for(before + 1, room_);
        packed_[to * room_ + before] = one;
      }
    return counts;
  }

  void send(const std::vector<int>& counts) {
    std::vector<int> in(ranks_), places(ranks_);
    MPI_Alltoall(counts.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t r = 0; r < ranks_; ++r) places[r] = static_cast<int>(r * room_);
    MPI_Alltoallv(packed_.data(), counts.data(), places.data(), type_.get(), received_.data(),
                  in.data(), places.data(), type_.get(), MPI_COMM_WORLD);
    received_counts_.assign(in.begin(), in.end());
  }

  const std::size_t rank_;
  const std::size_t ranks_;
  const std::size_t block_;  // records of a rank's input
  const std::size_t room_;   // for those of one rank at another
  rank_files files_;
  std::vector<record> packed_;    // by receiver
  std::vector<record> received_;  // by sender
  std::vector<std::uint64_t> received_counts_;
  const datatype_of<record> type_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<now_sort>({inputs::nowsort,
                             "Sorts 100-byte records from files to files in one pass, over MPI.",
                             {"aggregated"}},
                            argc, argv);
}
