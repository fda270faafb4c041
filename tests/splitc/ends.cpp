// What the checked build says when a program ends, or what ends it:
//   unsynced     gets that no sync has completed: the number, and the place of the last
//   synced       nothing
//   unwinding    nothing but the exception, of a rank that has gets under way
//   in-handler   a read in a handler
//   left-early   nothing: a rank that has left still receives a write to an array of it that an
//                exception has destroyed
// Run by tests/conformance/expect_end.cmake.
#include <am/splitc.hpp>

#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace {

using namespace am::splitc;

void reads(am::request_token, global_ptr<int> g) { *g = 1; }

}  // namespace

int main(int argc, char** argv) try {
  ::alarm(60);
  const std::string_view what = argc > 1 ? argv[1] : "";
  int in[4] = {};
  world w(argc, argv);
  if (what == "left-early") {
    global_ptr<int> theirs;
    try {
      const auto lost = w.spread<int>(w.ranks());
      theirs = lost.pointer(0);
      throw 1;
    } catch (int) {
    }
    if (w.rank() == 0) return 0;
    ::usleep(100000);
    *theirs = 7;
    return *theirs == 7 ? 0 : 4;
  }
  const auto a = w.spread<int>(w.ranks());
  const auto g = a.pointer((w.rank() + 1) % w.ranks());
  if (what == "in-handler") {
    if (w.rank() == 0) w.endpoint().request<reads>(1, a.pointer(0));
    w.endpoint().wait([] { return false; });
  }
  w.get(in[0], g);
  w.put(g, 1);
  w.sync();
  if (what == "unsynced" && w.rank() == 1) {
    w.get(in[1], g);
    w.get(in[2], g);
    w.put(g, 1);
  }
  if (what == "unwinding" && w.rank() == 1) {
    w.get(in[1], g);
    throw am::error(AM_ARGUMENT_SIZE, "of the program");
  }
} catch (const am::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
