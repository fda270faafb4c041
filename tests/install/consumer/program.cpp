// The smallest whole use of am.hpp.
#include <am/am.hpp>

namespace {
am::word total;
void summed(am::reply_token, am::word sum) { total = sum; }
void add(am::request_token t, am::word a, am::word b) { t.reply<summed>(a + b); }
}  // namespace

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  ep.request<add>((ep.rank() + 1) % ep.ranks(), 2, 3);
  ep.wait([] { return total != 0; });
  return total == 5 ? 0 : 1;
}
