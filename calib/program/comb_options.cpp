#include <calib/program/comb_options.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace calib {
namespace {

// Numbers from 1 on, with commas between them. False: they are not.
bool read_list(const char* text, std::vector<std::uint64_t>& into) {
  into.clear();
  for (;;) {
    char* end = nullptr;
    into.push_back(std::strtoull(text, &end, 10));
    if (end == text || into.back() == 0) return false;
    if (*end != ',') return *end == '\0';
    text = end + 1;
  }
}

bool read_number_of(const char* text, unsigned& into) {
  into = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  return into > 0;
}

// Whether it is one of the options with a value, and a good one.
bool read_option(comb_options& into, std::string_view name, const char* value) {
  if (name == "--samples") return read_number_of(value, into.samples);
  if (name == "--sample-us") return read_number_of(value, into.sample_us);
  if (name == "--bytes") return read_list(value, into.bytes) && into.bytes.front() >= 8;
  if (name == "--depths") return read_list(value, into.depths);
  if (name == "--intervals") return read_list(value, into.intervals);
  if (name == "--works") return read_list(value, into.works);
  return false;
}

}  // namespace

comb_options parse_comb(int argc, char** argv) {
  comb_options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--test") {
      out.with_test = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (!read_option(out, name, value)) {
      std::fprintf(stderr,
                   "%s: cannot read '%s %s': usage: [--samples N] [--sample-us N] --bytes LIST "
                   "--depths LIST [--intervals LIST] [--works LIST] [--test] "
                   "(am-calibrate comb starts this program)\n",
                   argv[0], argv[i], value);
      std::exit(2);
    }
    ++i;
  }
  return out;
}

}  // namespace calib
