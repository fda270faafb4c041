// What `am-calibrate comb` launches: the layers, and the sizes, depths, intervals and amounts of
// work at which each is measured.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace calib {

struct comb_sweep {
  std::vector<std::uint64_t> bytes;      // of a message
  std::vector<std::uint64_t> depths;     // messages that each process starts
  std::vector<std::uint64_t> intervals;  // of the polling method, in iterations of the work
  std::vector<std::uint64_t> works;      // of post-work-wait, in iterations
  bool with_test = true;                 // post-work-wait also with one test inside the work
  unsigned sample_us = 4000;             // the length of a sample, about
  bool size_by_size = true;              // a launch for each size; otherwise one for all
};
comb_sweep quick_comb_sweep();
comb_sweep usual_comb_sweep();
comb_sweep full_comb_sweep();

// "100 KB": the bytes of a message. A launch of one size has it as its name.
std::string kilobytes(std::uint64_t bytes);

// The names of the layers over these transports, each once.
std::vector<std::string> comb_layers(const std::vector<std::string>& transport_names);

// Of these layers; none: of all. Launches of a layer belong together by their round.
catalogue find_comb(const std::vector<std::string>& transport_names,
                    const std::vector<std::string>& layers, const comb_sweep& sweep);

}  // namespace calib
