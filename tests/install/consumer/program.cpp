// The smallest complete program of am.hpp.
#include <am/am.hpp>

namespace {
am::word total;
void on_sum(am::reply_token, am::word sum) { total = sum; }
void on_add(am::request_token t, am::word a, am::word b) { t.reply<on_sum>(a + b); }
}  // namespace

int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  ep.request<on_add>((ep.rank() + 1) % ep.ranks(), 2, 3);
  ep.wait([] { return total != 0; });
  return total == 5 ? 0 : 1;
}
