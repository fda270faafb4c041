// What a program of the suite reports of a run: the time of each phase, what was communicated, and
// whether the result was right.
#pragma once

#include "options.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

// The phases of a run, in the order in which each began first. A phase may come several times.
class phases {
 public:
  struct phase {
    std::string name;
    double seconds;
  };

  // Ends the one before.
  void begin(const char* name);
  void end();
  [[nodiscard]] const std::vector<phase>& all() const noexcept { return all_; }
  [[nodiscard]] std::vector<phase>& all() noexcept { return all_; }

 private:
  using clock = std::chrono::steady_clock;

  std::vector<phase> all_;
  std::size_t current_ = 0;  // one more than its index; 0: none
  clock::time_point since_;
};

// Of one rank, or their mean. A bulk message is one that carries more than words.
struct traffic {
  double messages = 0;
  double bulk_messages = 0;
  double bulk_bytes = 0;
  double reads = 0;  // messages that read, and their answers
  double barriers = 0;
};

// Of the rank to which most messages belong. Over shm a get is no message, and its bytes are not
// among `bytes`; elsewhere it consists of messages and counts twice.
struct load {
  double sent = 0;
  double handled = 0;
  double bytes = 0;  // that came with messages
  double gets = 0;
  double get_bytes = 0;
  double reads = 0;
  double barriers = 0;
};

struct named_count {
  std::string_view name;
  std::size_t count;
};

struct run {
  double seconds = 0;
  std::vector<phases::phase> parts;
  bool has_traffic = false;  // otherwise it was not counted
  traffic per_rank;
  load busiest;
  std::vector<named_count> checked;  // what all ranks together have found right
  bool right = false;
};

// Written by one rank.
class report {
 public:
  report(const description& of, const options& from, const char* layer, std::size_t ranks,
         std::size_t size)
      : of_(of), from_(from), layer_(layer), ranks_(ranks), size_(size) {}

  void add(const run& one);
  // After the last run.
  void finish() const;
  [[nodiscard]] bool all_right() const noexcept { return all_right_; }

 private:
  void print_text(const run& one) const;
  void print_json(const run& one) const;
  [[nodiscard]] std::vector<named_count> parameters() const;
  [[nodiscard]] std::string suite_lines() const;

  const description& of_;
  const options& from_;
  const char* layer_;
  std::size_t ranks_;
  std::size_t size_;
  std::vector<run> runs_;
  bool all_right_ = true;
};

}  // namespace apps
