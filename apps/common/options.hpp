// The command line that all programs of the suite have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace apps {

enum class input_size { quick, normal, paper, given };

// For people, for programs, or in the form that am-suite reads.
enum class output { text, json, suite };

struct options {
  input_size size = input_size::quick;
  std::size_t given_size = 0;  // with input_size::given
  bool per_rank = false;       // the size is that of each rank's part
  std::uint64_t seed = 1;
  std::string_view variant;  // of description::variants; by default the first
  unsigned samples = 1;      // runs in this job
  output form = output::text;
  std::vector<std::size_t> parameters;  // the value of each of description::parameters
};

struct input {
  const char* name;  // of the program
  std::size_t quick, normal, paper;
  const char* unit;                // in which they count: "keys"
  bool has_powers_of_two = false;  // only, and of at least the square of that of the ranks
};

// A number that a program takes as an option of its own.
struct parameter {
  std::string_view name;              // "length"
  const char* what;                   // of which it is the number: "words of a message"
  std::vector<std::size_t> defaults;  // of each variant
  std::size_t least = 1;
};

struct description {
  input of;
  const char* summary;                     // a sentence
  std::vector<std::string_view> variants;  // of the algorithm
  // Instead of a size: the first of them is the size.
  std::vector<parameter> parameters = {};
};

// The exit status, if there is nothing to do: after --help, or after bad usage.
std::optional<int> read_options(const description& of, int argc, char** argv, options& out);

// Of all ranks together: the same even number for each, and at least two; or a power of two. Of a
// program with parameters: the first of them.
std::size_t total_size(const description& of, const options& from, std::size_t ranks);
std::string_view name_of(input_size size);

}  // namespace apps
