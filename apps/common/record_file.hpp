// Temporary files of records.
#pragma once

#include "records.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace apps::nowsort {

inline constexpr std::size_t records_at_once = 2048;  // that are read or written

// In the folder for temporary files, TMPDIR. It has no name there, so it is gone when the process
// ends, in whatever way. Calls throw std::runtime_error with a line that says what has failed.
class record_file {
 public:
  record_file();
  ~record_file();
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;

  // Behind the last ones.
  void append(std::span<const record> records);
  // The next ones, from the first on; fewer than there is room for only at the end. Returns them.
  std::span<record> read(std::span<record> room);

 private:
  std::string folder_;
  int descriptor_;
  std::size_t written_ = 0;  // bytes
  std::size_t read_ = 0;
};

// Of a rank: its part of the input, and its output.
class rank_files {
 public:
  // Makes the input, of a number of records from the `first` one on.
  rank_files(std::uint64_t seed, std::size_t first, std::size_t records);

  record_file input;
  record_file output;

  // After the output has been written: reads it again.
  [[nodiscard]] summaries summarize();

 private:
  summary made_;  // the input
};

}  // namespace apps::nowsort
