// What COMB needs of a library of two-sided messages: a part of two_sided.hpp, so that a simulated
// library can be measured by the same code.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace calib {

template <class Library>
concept comb_messages = requires(Library& l, typename Library::request& one, int rank, int tag,
                                 const std::byte* data, std::byte* room, std::size_t bytes,
                                 std::span<typename Library::request> all) {
  { l.isend(rank, tag, data, bytes) } -> std::same_as<typename Library::request>;
  { l.irecv(rank, tag, room, bytes) } -> std::same_as<typename Library::request>;
  { l.test(one) } -> std::same_as<bool>;
  l.wait(one);
  l.wait_all(all);
  l.barrier();
  { l.max(1.0) } -> std::same_as<double>;
};

// The ranks of the two processes: one works and measures, the other only answers.
inline constexpr int comb_worker = 0;
inline constexpr int comb_support = 1;

// Each message begins with its number, by which its receiver finds a loss.
inline void write_number(std::byte* into, std::uint64_t number) {
  std::memcpy(into, &number, sizeof number);
}
inline std::uint64_t read_number(const std::byte* from) {
  std::uint64_t number = 0;
  std::memcpy(&number, from, sizeof number);
  return number;
}

}  // namespace calib
