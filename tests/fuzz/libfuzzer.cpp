// The targets for Clang's fuzzer: LIBAM_FUZZ_TARGET names the one that runs.
#include "target.hpp"

#include <cstdio>
#include <cstdlib>

namespace {
const am_test::fuzz::target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("LIBAM_FUZZ_TARGET");
  chosen = am_test::fuzz::find_target(name != nullptr ? name : "");
  if (chosen != nullptr) return 0;
  std::fputs("LIBAM_FUZZ_TARGET must be one of:", stderr);
  for (const auto& each : am_test::fuzz::all_targets()) std::fprintf(stderr, " %s", each.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({data, size});
  return 0;
}
