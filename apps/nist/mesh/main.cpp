// The mesh of NISTIR 4630: every rank depends on its neighbours.
//
// The ranks form a torus. In each iteration a rank sends its data to its four neighbours, waits for
// theirs, and computes its next data from all five. A neighbour cannot be further ahead than one
// iteration, in which it needs this rank's data: what arrives has room for two.
#include "torus.hpp"

namespace {

using namespace apps;
using namespace apps::nist;

enum parameter_number { iterations, length, compute, rows };

mesh::torus torus_of(rank_id ranks, const options& from) {
  const std::size_t asked = from.parameters[rows];
  return asked == 0 ? mesh::most_square(ranks) : mesh::torus{asked, ranks / asked};
}

class mesh_program {
 public:
  mesh_program(job& w, const options& from, std::size_t)
      : w_(w),
        ep_(w.endpoint()),
        from_(from),
        torus_(torus_of(w.ranks(), from)),
        data_(first_words(from.seed, w.rank(), from.parameters[length])) {
    for (arrivals& each : arrivals_) each.data.fill(std::vector<word>(from.parameters[length]));
    ep_.set_context(this);
  }
  ~mesh_program() { ep_.set_context(nullptr); }
  mesh_program(const mesh_program&) = delete;
  mesh_program& operator=(const mesh_program&) = delete;

  static std::string refusal(job& w, const options& from) {
    const std::size_t asked = from.parameters[rows];
    if (asked != 0 && w.ranks() % asked != 0)
      return "--rows " + std::to_string(asked) + ": must divide the number of ranks, " +
             std::to_string(w.ranks());
    return length_refusal(w, from.parameters[length]);
  }

  void run(phases& times, own_counts&) {
    times.begin("iterate");
    for (; iteration_ < from_.parameters[iterations]; ++iteration_) {
      for (std::size_t side = 0; side < mesh::sides; ++side)
        ep_.request<arrive>(torus_.neighbour(ep_.rank(), side), std::as_bytes(std::span(data_)),
                            mesh::opposite(side), iteration_);
      arrivals& here = arrivals_[iteration_ % 2];
      ep_.wait([&] { return here.count == mesh::sides; });
      here.count = 0;
      add(data_);
      for (const std::vector<word>& from_side : here.data) add(from_side);
    }
  }

  // Rank 0 computes the whole mesh and compares all data with it.
  [[nodiscard]] bool check() {
    std::vector<word> all(data_.size() * w_.ranks());
    w_.team().all_gather(data_, all);
    const bool is_right =
        w_.rank() != 0 ||
        all == mesh::serial_result(from_.seed, torus_, data_.size(), from_.parameters[iterations],
                                   from_.parameters[compute]);
    return is_right && wrong_ == 0 && handled_ == mesh::sides * from_.parameters[iterations];
  }
  [[nodiscard]] std::vector<named_count> checked() const {
    return {{"messages", handled_}, {"words", data_.size()}};
  }

 private:
  void add(const std::vector<word>& other) {
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] = multiplied(data_[i], other[i], from_.parameters[compute]);
  }

  static void arrive(am::request_token t, std::span<const std::byte> data, std::size_t side,
                     std::uint64_t iteration) {
    mesh_program& self = *t.context<mesh_program>();
    arrivals& here = self.arrivals_[iteration % 2];
    const bool is_due = iteration - self.iteration_ <= 1;
    if (!is_due || !copy_words(data, here.data[side])) ++self.wrong_;
    ++here.count;
    ++self.handled_;
  }

  // Of an iteration.
  struct arrivals {
    std::size_t count = 0;
    std::array<std::vector<word>, mesh::sides> data;
  };

  job& w_;
  am::endpoint& ep_;
  const options from_;
  const mesh::torus torus_;
  std::vector<word> data_;
  std::uint64_t iteration_ = 0;
  std::array<arrivals, 2> arrivals_;  // of this iteration and the next
  std::uint64_t handled_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return nist_main<mesh_program>(
      {{"mesh", 0, 0, 0, "iterations"},
       "Swaps data with the neighbours on a torus of all ranks, and computes with them.",
       {"comm", "comp"},
       {{"iterations", "times that each rank swaps and computes", {400, 50}},
        {"length", "words of a message", {128, 128}},
        {"compute", "multiplications for each of the five words of a sum", {1, 160}},
        {"rows", "rows of the torus, 0: the most square one", {0, 0}, 0}}},
      argc, argv);
}
