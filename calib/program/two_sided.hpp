// A library of two-sided messages, as the programs that measure such libraries use it: libam's
// (two_sided_am.hpp), and each MPI (two_sided_mpi.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace calib {

// Bytes go from and to ranks 0 to ranks() - 1 with a tag. The buffer of a call that returns a
// request is the library's until the request has ended.
template <class Library>
concept two_sided = requires(Library& l, typename Library::request& one, int rank, int tag,
                             const std::byte* data, std::byte* room, std::size_t bytes,
                             std::span<typename Library::request> all) {
  requires std::movable<typename Library::request>;
  { Library::none() } -> std::same_as<typename Library::request>;  // one that has ended
  { l.rank() } -> std::same_as<int>;
  { l.ranks() } -> std::same_as<int>;
  l.send(rank, tag, data, bytes);
  l.bsend(rank, tag, data, bytes);  // copies what does not leave at once
  l.ssend(rank, tag, data, bytes);
  l.rsend(rank, tag, data, bytes);
  { l.isend(rank, tag, data, bytes) } -> std::same_as<typename Library::request>;
  { l.issend(rank, tag, data, bytes) } -> std::same_as<typename Library::request>;
  { l.irsend(rank, tag, data, bytes) } -> std::same_as<typename Library::request>;
  l.recv(rank, tag, room, bytes);
  { l.irecv(rank, tag, room, bytes) } -> std::same_as<typename Library::request>;
  l.sendrecv(rank, tag, data, bytes, rank, tag, room, bytes);
  { l.test(one) } -> std::same_as<bool>;
  l.wait(one);
  l.wait_all(all);
  l.barrier();
  { l.max(1.0) } -> std::same_as<double>;  // over all ranks, at each
};

}  // namespace calib
