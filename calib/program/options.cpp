#include <calib/program/options.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace calib {
namespace {

// Sizes separated by commas, multiples of a page. False: they are not.
bool read_sizes(const char* text, std::vector<std::size_t>& into) {
  for (;;) {
    char* end = nullptr;
    into.push_back(std::strtoull(text, &end, 10));
    if (end == text || into.back() == 0 || into.back() % 4096 != 0) return false;
    if (*end != ',') return *end == '\0';
    text = end + 1;
  }
}

}  // namespace

bool options::skips(std::string_view probe, std::string_view variant) const {
  const std::string both = std::string(probe) + ':' + std::string(variant);
  return std::find(skip.begin(), skip.end(), both) != skip.end();
}

options parse(int argc, char** argv) {
  options out;
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (std::strcmp(argv[i], "--samples") == 0 && std::atoi(value) > 0) {
      out.samples = static_cast<unsigned>(std::atoi(value));
      ++i;
    } else if (std::strcmp(argv[i], "--windows") == 0 && std::atoi(value) > 0) {
      out.windows = static_cast<unsigned>(std::atoi(value));
      ++i;
    } else if (std::strcmp(argv[i], "--burst") == 0 && std::atoi(value) > 0) {
      out.burst = static_cast<unsigned>(std::atoi(value));
      ++i;
    } else if (std::strcmp(argv[i], "--skip") == 0 && *value != '\0') {
      out.skip.emplace_back(value);
      ++i;
    } else if (std::strcmp(argv[i], "--bytes") == 0 && read_sizes(value, out.bytes)) {
      ++i;
    } else if (std::strcmp(argv[i], "--idle") == 0) {
      out.idle = true;
    } else if (std::strcmp(argv[i], "--signature") == 0) {
      out.signature = true;
    } else if (std::strcmp(argv[i], "--pairs") == 0) {
      out.pairs = true;
    } else if (std::strcmp(argv[i], "--in-job") == 0) {
      out.in_job = true;
    } else if (std::strcmp(argv[i], "--validate") == 0) {
      out.validate = true;
    } else if (std::strcmp(argv[i], "--dialled") == 0) {
      out.dialled = true;
    } else if (std::strcmp(argv[i], "--spacing-us") == 0 && std::atoi(value) > 0) {
      out.spacing_us = static_cast<unsigned>(std::atoi(value));
      ++i;
    } else if (std::strcmp(argv[i], "--sample-us") == 0 && std::atoi(value) > 0) {
      out.sample_us = static_cast<unsigned>(std::atoi(value));
      ++i;
    } else {
      std::fprintf(stderr,
                   "%s: cannot read '%s %s': usage: [--samples N] [--skip PROBE:VARIANT]... "
                   "[--bytes 4096,...] [--windows N] [--burst N] [--idle | --signature | --pairs | "
                   "--validate | --dialled [--spacing-us N]] [--in-job] [--sample-us N] "
                   "(am-calibrate starts this program)\n",
                   argv[0], argv[i], value);
      std::exit(2);
    }
  }
  return out;
}

}  // namespace calib
