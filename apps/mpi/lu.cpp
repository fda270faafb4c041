// LU factorization over MPI, as apps/splitc/lu: each part of a panel is broadcast along a row or
// column of the grid of ranks (MPI_Ibcast), while the blocks behind it are updated by the panel
// before.
#include "../common/inputs.hpp"
#include "../common/lu_matrix.hpp"
#include "mpi_program.hpp"

#include <array>

namespace {

using namespace apps;
using namespace apps::lu;

// The blocks of a panel that this rank multiplies.
struct panel {
  std::size_t first_row = 0;
  std::size_t first_column = 0;
  const block* left = nullptr;  // here or in left_copy
  std::vector<block> left_copy;
  std::vector<block> upper_copy;
};

class lu_program {
 public:
  lu_program(const options& from, std::size_t n)
      : from_(from), grid_(n, count_ranks(), own_rank()), blocks_(grid_.room()) {
    fill(blocks_, grid_, from.seed);
    const int row = static_cast<int>(grid_.row());
    const int column = static_cast<int>(grid_.column());
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &along_row_);
    MPI_Comm_split(MPI_COMM_WORLD, column, row, &along_column_);
    for (panel& one : panels_) {
      one.left_copy.resize(grid_.room_in_column());
      one.upper_copy.resize(grid_.room_in_row());
    }
  }
  ~lu_program() {
    MPI_Comm_free(&along_row_);
    MPI_Comm_free(&along_column_);
  }
  lu_program(const lu_program&) = delete;
  lu_program& operator=(const lu_program&) = delete;

  void run(phases& times) {
    for (std::size_t k = 0; k < grid_.blocks(); ++k) {
      panel& next = panels_[k % 2];
      const panel& before = panels_[(k + 1) % 2];
      times.begin("panel");
      finish_panel(k, before);
      start_broadcasts(k, next);
      times.begin("update");
      if (k > 0)
        grid_.for_blocks(k + 1, [&](std::size_t i, std::size_t j) {
          update_one(i, j, before);
          int done = 0;
          MPI_Testall(request_count, requests_.data(), &done, MPI_STATUSES_IGNORE);
        });
      times.begin("get");
      MPI_Waitall(request_count, requests_.data(), MPI_STATUSES_IGNORE);
    }
  }

  bool check() {
    return is_right(blocks_, grid_, from_.seed, [](std::vector<double>& values) {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                    MPI_SUM, MPI_COMM_WORLD);
    });
  }

 private:
  block& at(std::size_t i, std::size_t j) { return blocks_[grid_.place(i, j)]; }

  void update_one(std::size_t i, std::size_t j, const panel& by) {
    update(at(i, j), by.left[(i - by.first_row) / grid_.rows()],
           by.upper_copy[(j - by.first_column) / grid_.columns()]);
  }

  void finish_panel(std::size_t k, const panel& before) {
    const bool has_row = grid_.has_row(k);
    const bool has_column = grid_.has_column(k);
    block& diagonal = has_row && has_column ? at(k, k) : diagonal_.front();
    if (has_row && has_column) {
      if (k > 0) update_one(k, k, before);
      factor(diagonal);
    }
    if (has_row) broadcast(&diagonal, 1, k % grid_.columns(), along_row_, requests_[0]);
    if (has_column) broadcast(&diagonal, 1, k % grid_.rows(), along_column_, requests_[1]);
    if (k > 0 && has_column)
      grid_.for_rows(k + 1, [&](std::size_t i) { update_one(i, k, before); });
    if (k > 0 && has_row)
      grid_.for_columns(k + 1, [&](std::size_t j) { update_one(k, j, before); });
    MPI_Waitall(request_count, requests_.data(), MPI_STATUSES_IGNORE);
    if (has_column) grid_.for_rows(k + 1, [&](std::size_t i) { solve_left(at(i, k), diagonal); });
    if (has_row) grid_.for_columns(k + 1, [&](std::size_t j) { solve_upper(at(k, j), diagonal); });
  }

  void start_broadcasts(std::size_t k, panel& next) {
    next.first_row = grid_.first_row(k + 1);
    next.first_column = grid_.first_column(k + 1);
    std::size_t rows = 0;
    std::size_t columns = 0;
    grid_.for_rows(k + 1, [&](std::size_t) { ++rows; });
    grid_.for_columns(k + 1, [&](std::size_t j) {
      if (grid_.has_row(k)) next.upper_copy[columns] = at(k, j);
      ++columns;
    });
    block* const left = grid_.has_column(k) ? blocks_.data() + grid_.place(next.first_row, k)
                                            : next.left_copy.data();
    broadcast(left, rows, k % grid_.columns(), along_row_, requests_[0]);
    broadcast(next.upper_copy.data(), columns, k % grid_.rows(), along_column_, requests_[1]);
    next.left = left;
  }

  static void broadcast(block* blocks, std::size_t count, std::size_t root, MPI_Comm along,
                        MPI_Request& request) {
    MPI_Ibcast(blocks, static_cast<int>(count * edge * edge), MPI_DOUBLE, static_cast<int>(root),
               along, &request);
  }

  const options from_;
  const grid grid_;
  std::vector<block> blocks_;
  MPI_Comm along_row_ = MPI_COMM_NULL;
  MPI_Comm along_column_ = MPI_COMM_NULL;
  std::array<panel, 2> panels_;
  std::vector<block> diagonal_ = std::vector<block>(1);
  static constexpr int request_count = 2;  // along the row and along the column
  std::array<MPI_Request, request_count> requests_ = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<lu_program>(
      {inputs::lu, "Factors a dense matrix into L and U, over MPI.", {"aggregated"}}, argc, argv);
}
