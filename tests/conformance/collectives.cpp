// Collectives give the right values: at every root, for every size, with an operation that depends
// on the order of the ranks.
#include "../support/suite.hpp"

#include <am/team.hpp>

#include <array>
#include <numeric>
#include <vector>

namespace {

// The value that rank `from` has for rank `to`, or for all, at an index of an array.
std::uint32_t value_of(am::rank_id from, am::rank_id to, std::size_t place) {
  return 1000003U * from + 10007U * to + static_cast<std::uint32_t>(place);
}
std::vector<std::uint32_t> values_of(am::rank_id from, am::rank_id to, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(from, to, i);
  return values;
}

// None, one, an odd number, a piece, one more than a piece, several.
std::array<std::size_t, 7> sizes(const am::team& team, am::endpoint& ep) {
  (void)team;
  const std::size_t piece = ep.max_medium() / sizeof(std::uint32_t);
  return {0, 1, 5, 333, piece, piece + 1, 3 * piece + 7};
}

// A run of adjacent ranks. Only adjacent runs can be combined, so it shows the order.
struct run {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t tag;
};
constexpr std::uint32_t broken = 0xdead;
run join_runs(const run& earlier, const run& later) {
  const bool meet = earlier.last + 1 == later.first && earlier.tag == later.tag;
  return {earlier.first, later.last, meet ? earlier.tag : broken};
}
std::vector<run> runs_of(am::rank_id rank, std::size_t count) {
  std::vector<run> runs(count);
  for (std::size_t i = 0; i < count; ++i)
    runs[i] = {rank, rank, static_cast<std::uint32_t>(i % 99)};
  return runs;
}
bool all_are(const std::vector<run>& runs, am::rank_id first, am::rank_id last) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].first != first || runs[i].last != last || runs[i].tag != i % 99) return false;
  return true;
}

CASE("a broadcast delivers the root's values to every rank, from any root") {
  am::team all(job.ep());
  for (am::rank_id root = 0; root < all.ranks(); ++root) {
    EXPECT_EQ(all.broadcast(root, 7 * all.rank()), 7 * root);
    for (const std::size_t size : sizes(all, job.ep())) {
      auto values = values_of(all.rank(), 0, size);
      all.broadcast(root, values);
      EXPECT(values == values_of(root, 0, size));
    }
  }
}

CASE("a reduction combines in rank order, at any root, and changes nothing at other ranks") {
  am::team all(job.ep());
  for (am::rank_id root = 0; root < all.ranks(); ++root) {
    for (const std::size_t size : sizes(all, job.ep())) {
      auto values = runs_of(all.rank(), size);
      all.reduce(root, values, join_runs);
      if (all.rank() == root)
        EXPECT(all_are(values, 0, all.ranks() - 1));
      else
        EXPECT(all_are(values, all.rank(), all.rank()));
    }
  }
}

CASE("an all_reduce gives the same result at every rank") {
  am::team all(job.ep());
  for (const std::size_t size : sizes(all, job.ep())) {
    auto values = runs_of(all.rank(), size);
    all.all_reduce(values, join_runs);
    EXPECT(all_are(values, 0, all.ranks() - 1));
  }
  EXPECT_EQ(all.all_reduce(all.rank(), std::plus<>()), all.ranks() * (all.ranks() - 1) / 2);
  EXPECT_EQ(all.all_reduce(true, std::logical_and<>()), true);
  EXPECT_EQ(all.all_reduce(all.rank() != 0, std::logical_and<>()), false);
  // Floating point: the same bits at every rank.
  const double sum = all.all_reduce(1.0 / (all.rank() + 3), std::plus<>());
  for (const double its : all.all_gather(sum)) EXPECT_EQ(its, sum);
}

CASE("a scan combines the ranks up to this one") {
  am::team all(job.ep());
  for (const std::size_t size : sizes(all, job.ep())) {
    auto values = runs_of(all.rank(), size);
    all.scan(values, join_runs);
    EXPECT(all_are(values, 0, all.rank()));
  }
  EXPECT_EQ(all.scan(1U, std::plus<>()), all.rank() + 1);
}

CASE("an all_gather puts every rank's values in its part") {
  am::team all(job.ep());
  for (const std::size_t size : sizes(all, job.ep())) {
    std::vector<std::uint32_t> expected;
    for (am::rank_id from = 0; from < all.ranks(); ++from) {
      const auto its = values_of(from, 0, size);
      expected.insert(expected.end(), its.begin(), its.end());
    }
    const auto mine = values_of(all.rank(), 0, size);
    std::vector<std::uint32_t> room(size * all.ranks());
    all.all_gather(mine, room);
    EXPECT(room == expected);
    // With its own part in place already.
    std::fill(room.begin(), room.end(), 0);
    const auto own = std::span(room).subspan(all.rank() * size, size);
    std::copy(mine.begin(), mine.end(), own.begin());
    all.all_gather(own, room);
    EXPECT(room == expected);
  }
}

CASE("an all_to_all delivers each part to its rank") {
  am::team all(job.ep());
  for (const std::size_t size : sizes(all, job.ep())) {
    std::vector<std::uint32_t> out;
    std::vector<std::uint32_t> expected;
    for (am::rank_id i = 0; i < all.ranks(); ++i) {
      const auto mine = values_of(all.rank(), i, size);
      const auto its = values_of(i, all.rank(), size);
      out.insert(out.end(), mine.begin(), mine.end());
      expected.insert(expected.end(), its.begin(), its.end());
    }
    std::vector<std::uint32_t> in(out.size());
    all.all_to_all(out, in);
    EXPECT(in == expected);
  }
}

// ---- elements of any size -----------------------------------------------------------------------

template <std::size_t Bytes>
struct block {
  std::array<std::uint8_t, Bytes> bytes;
  friend bool operator==(const block&, const block&) = default;
};
template <std::size_t Bytes>
block<Bytes> add(const block<Bytes>& a, const block<Bytes>& b) {
  block<Bytes> sum;
  for (std::size_t i = 0; i < Bytes; ++i)
    sum.bytes[i] = static_cast<std::uint8_t>(a.bytes[i] + b.bytes[i]);
  return sum;
}
template <std::size_t Bytes>
block<Bytes> block_of(std::uint32_t of) {
  block<Bytes> made;
  for (std::size_t i = 0; i < Bytes; ++i) made.bytes[i] = static_cast<std::uint8_t>(of * (i + 1));
  return made;
}

template <std::size_t Bytes>
void try_blocks(am::team& all) {
  using it = block<Bytes>;
  const am::rank_id n = all.ranks();
  const am::rank_id sum_to_me = all.rank() * (all.rank() + 1) / 2;
  const std::vector<it> mine(3, block_of<Bytes>(all.rank()));
  auto values = mine;
  all.all_reduce(values, add<Bytes>);
  EXPECT(values == std::vector<it>(3, block_of<Bytes>(n * (n - 1) / 2)));
  values = mine;
  all.scan(values, add<Bytes>);
  EXPECT(values == std::vector<it>(3, block_of<Bytes>(sum_to_me)));
  EXPECT(all.broadcast(n - 1, mine[0]) == block_of<Bytes>(n - 1));
  const auto gathered = all.all_gather(mine[0]);
  for (am::rank_id i = 0; i < n; ++i) EXPECT(gathered[i] == block_of<Bytes>(i));
}

CASE("elements are of any size: of one byte, odd, and larger than a piece") {
  am::team all(job.ep());
  try_blocks<1>(all);
  try_blocks<3>(all);
  try_blocks<16>(all);
  try_blocks<17>(all);
  try_blocks<6001>(all);
  try_blocks<40000>(all);
}

struct alignas(128) aligned_element {
  std::uint64_t value;
};

CASE("elements may have an alignment of their own") {
  am::team all(job.ep());
  const auto add_elements = [](const aligned_element& a, const aligned_element& b) {
    return aligned_element{a.value + b.value};
  };
  std::array<aligned_element, 3> lines{aligned_element{1}, aligned_element{2}, aligned_element{3}};
  all.all_reduce(lines, add_elements);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(lines[i].value, (i + 1) * all.ranks());
}

}  // namespace
