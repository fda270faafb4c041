#include "target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace am_test::fuzz {
namespace {

std::vector<target>& list() {
  static std::vector<target> all;
  return all;
}

}  // namespace

std::span<const target> all_targets() { return list(); }

bool add_target(const char* name, target_fn* run) {
  list().push_back({name, run});
  return true;
}

const target* find_target(std::string_view name) {
  const auto found = std::ranges::find(list(), name, &target::name);
  return found == list().end() ? nullptr : &*found;
}

void promise_broken(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: promise broken: %s\n", file, line, what);
  std::abort();
}

}  // namespace am_test::fuzz
