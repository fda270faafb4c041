// NOW-sort: sorts the records of files, one of each rank, in one pass from disk to disk. Every rank
// has a range of keys, which are uniform.
//
//   send      each rank reads its file, and packs each record into a piece for the rank of its key.
//             A full piece is stored there, while reading goes on;
//   sort      each rank sorts the keys of what it has received, with the places of their records;
//   write     and writes the records in that order to a file.
//
// A receiver has room for each sender, so the place of a piece is known without a message.
#include "../../common/inputs.hpp"
#include "../../common/record_sort.hpp"
#include "../../common/splitc_program.hpp"

#include <span>

namespace {

using namespace apps;
using namespace apps::nowsort;

class now_sort {
 public:
  now_sort(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        block_(size / w.ranks()),
        room_(room_for(block_, w.ranks())),
        files_(from.seed, block_ * w.rank(), block_),
        received_(w.spread<record>(room_ * w.ranks() * w.ranks())),
        counts_(w.spread<word>(std::size_t{w.ranks()} * w.ranks())) {
    std::ranges::fill(received_.mine(), record{});  // its pages exist, as those of a vector do
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") {
      times.begin("read");
      counts_.local(0) = files_.input.read(received_.mine()).size();
    } else {
      times.begin("send");
      send();
      w_.all_store_sync();
      ++counts.barriers;
    }
    times.begin("sort");
    std::vector<sort_entry> entries = entries_of(received_.mine(), room_, counts_.mine());
    sort_entries(entries, w_.rank(), w_.ranks());
    times.begin("write");
    write_records(entries, received_.mine(), files_.output);
  }

  bool check() { return are_sorted(w_.all_gather(files_.summarize())); }

 private:
  void send() {
    std::vector<record> chunk(records_at_once);
    std::vector<std::vector<record>> pieces(w_.ranks());
    for (auto next = files_.input.read(chunk); !next.empty(); next = files_.input.read(chunk))
      for (const record& one : next) {
        const auto to = static_cast<rank_id>(part_of(high_part(one.key), w_.ranks()));
        pieces[to].push_back(one);
        if (pieces[to].size() == records_of_piece) store_piece(to, pieces[to]);
      }
    for (rank_id to = 0; to < w_.ranks(); ++to) {
      store_piece(to, pieces[to]);
      w_.store(counts_.part(to) + w_.rank(), word{sent_[to]});
    }
  }

  // Behind those that have gone there.
  void store_piece(rank_id to, std::vector<record>& piece) {
    check_room_for(sent_[to] + piece.size(), room_);
    w_.bulk_store(received_.part(to) + static_cast<std::ptrdiff_t>(w_.rank() * room_ + sent_[to]),
                  piece.data(), piece.size());
    sent_[to] += piece.size();
    piece.clear();
  }

  world& w_;
  const options from_;
  const std::size_t block_;  // records of a rank's input
  const std::size_t room_;   // for those of one rank at another
  rank_files files_;
  spread_array<record> received_;  // by sender
  spread_array<word> counts_;
  std::vector<std::size_t> sent_ = std::vector<std::size_t>(w_.ranks());
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<now_sort>({inputs::nowsort,
                                "Sorts 100-byte records from files to files in one pass.",
                                {"bulk", "serial"}},
                               argc, argv);
}
