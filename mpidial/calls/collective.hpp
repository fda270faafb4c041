// What the wrappers of collective calls have in common. Bytes are counted only where G is dialled:
// some arguments are only set at the root.
#pragma once

#include <mpidial/calls/receiving.hpp>
#include <mpidial/calls/sending.hpp>
#include <mpidial/collective_model.hpp>

#include <numeric>

namespace am::detail::mpidial {

class collective {
 public:
  collective(MPI_Comm comm, collective_shape shape) {
    if (the_dialler == nullptr) return;
    const communicator* const known = find_communicator(*the_dialler, comm);
    if (known == nullptr) return;
    load_ = {shape, known->size, 0};
    const base::dials& by = the_dialler->dials();
    // Between two groups no bytes are counted.
    counts_bytes_ = by.G > 0 && known->peers.size() == static_cast<std::size_t>(known->size);
    if (counts_bytes_) PMPI_Comm_rank(comm, &rank_);
  }

  // Every round of a tree carries these bytes, or a message of an exchange.
  collective& each(MPI_Count count, MPI_Datatype type) {
    if (counts_bytes_)
      load_.bytes = bytes_of(count, type) * (load_.shape == collective_shape::tree
                                                 ? tree_rounds(load_.processes)
                                                 : static_cast<std::size_t>(load_.processes - 1));
    return *this;
  }
  // A block of as many bytes for every other process.
  collective& blocks(MPI_Count count, MPI_Datatype type) {
    if (counts_bytes_)
      load_.bytes = bytes_of(count, type) * static_cast<std::size_t>(load_.processes - 1);
    return *this;
  }
  // Blocks of different lengths.
  collective& blocks(const int* counts, MPI_Datatype type) {
    if (!counts_bytes_) return *this;
    for (int i = 0; i < load_.processes; ++i)
      if (i != rank_) load_.bytes += bytes_of(counts[i], type);
    return *this;
  }
  collective& blocks(const int* counts, const MPI_Datatype* types) {
    if (!counts_bytes_) return *this;
    for (int i = 0; i < load_.processes; ++i)
      if (i != rank_) load_.bytes += bytes_of(counts[i], types[i]);
    return *this;
  }
  collective& own_block(MPI_Count count, MPI_Datatype type) {
    if (counts_bytes_) load_.bytes = bytes_of(count, type);
    return *this;
  }
  [[nodiscard]] bool is_root(int root) const noexcept { return rank_ == root; }

  // MPI has returned from the call.
  int end(int result) const {
    const ticks added = delay();
    if (added != 0 && result == MPI_SUCCESS) the_dialler->wait_until(the_dialler->now() + added);
    return result;
  }
  // MPI has begun it.
  int begun(int result, const MPI_Request* handle) const {
    const ticks added = delay();
    if (added == 0) return result;
    request one;
    one.kind = request_kind::collective;
    one.begun = the_dialler->now();
    one.due = one.begun + added;
    return note_request(result, handle, one);
  }

 private:
  [[nodiscard]] ticks delay() const noexcept {
    if (the_dialler == nullptr) return 0;
    return the_dialler->of_ns(added_time(the_dialler->dials(), load_));
  }

  collective_load load_{collective_shape::tree, 0, 0};
  bool counts_bytes_ = false;
  int rank_ = 0;
};

inline collective tree_of(MPI_Comm comm) { return {comm, collective_shape::tree}; }
inline collective exchange_of(MPI_Comm comm) { return {comm, collective_shape::exchange}; }

}  // namespace am::detail::mpidial
