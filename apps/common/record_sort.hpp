// What nowsort does with the records that a rank has received, and how much room they take.
#pragma once

#include "record_file.hpp"
#include "records.hpp"

#include <cmath>
#include <compare>
#include <numeric>
#include <stdexcept>
#include <string>

namespace apps::nowsort {

// For the records of one rank, of this number, that belong to another. How many they are is not
// known before all have been read. But keys are uniform, so it is binomially distributed: it is
// beyond this bound less often than once in 10^14 inputs.
inline std::size_t room_for(std::size_t records, std::size_t ranks) {
  const double mean = static_cast<double>(records) / static_cast<double>(ranks);
  return std::min(records, static_cast<std::size_t>(mean + 8 * std::sqrt(mean) + 16));
}

inline void check_room_for(std::size_t records, std::size_t room) {
  if (records > room)
    throw std::runtime_error("keys are not uniform: " + std::to_string(records) +
                             " records of one rank for another, which has room for " +
                             std::to_string(room));
}

inline constexpr std::size_t records_of_piece = 640;  // that travel together: 64 KB

// The key of a record, and where the record is.
struct sort_entry {
  std::uint64_t high;
  std::uint16_t low;
  std::uint32_t index;

  friend auto operator<=>(const sort_entry&, const sort_entry&) = default;
};

// Of what each rank has sent, which has its own room.
inline std::vector<sort_entry> entries_of(std::span<const record> received, std::size_t room,
                                          std::span<const std::uint64_t> counts) {
  std::vector<sort_entry> out;
  out.reserve(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  for (std::size_t from = 0; from < counts.size(); ++from)
    for (std::size_t i = from * room; i < from * room + counts[from]; ++i) {
      const record_key& key = received[i].key;
      out.push_back({high_part(key), static_cast<std::uint16_t>(key[8] << 8 | key[9]),
                     static_cast<std::uint32_t>(i)});
    }
  return out;
}

// Those of one of so many parts of all keys: as the keys are uniform, buckets by their highest bits
// have few entries each.
inline void sort_entries(std::vector<sort_entry>& entries, std::size_t part, std::size_t parts) {
  constexpr std::size_t usual = 64;   // entries of a bucket
  constexpr std::size_t most = 4096;  // buckets whose ends stay in a near cache
  const std::size_t buckets = std::min(entries.size() / usual + 1, most);
  const auto bucket_of = [&](const sort_entry& entry) {
    return part_of(entry.high, parts * buckets) - part * buckets;
  };
  std::vector<std::size_t> ends(buckets);
  for (const sort_entry& entry : entries) ++ends[bucket_of(entry)];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
  std::vector<sort_entry> sorted(entries.size());
  for (const sort_entry& entry : entries) sorted[ends[bucket_of(entry)]++] = entry;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    std::sort(sorted.data() + first, sorted.data() + end);
    first = end;
  }
  entries.swap(sorted);
}

// Writes the records in the order of their entries.
inline void write_records(std::span<const sort_entry> entries, std::span<const record> records,
                          record_file& to) {
  constexpr std::size_t ahead = 16;  // records on their way from memory
  std::vector<record> chunk;
  chunk.reserve(records_at_once);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + ahead < entries.size()) {
      const record& next = records[entries[i + ahead].index];
      __builtin_prefetch(&next);
      __builtin_prefetch(reinterpret_cast<const char*>(&next + 1) - 1);
    }
    chunk.push_back(records[entries[i].index]);
    if (chunk.size() == records_at_once || i + 1 == entries.size()) {
      to.append(chunk);
      chunk.clear();
    }
  }
}

}  // namespace apps::nowsort
