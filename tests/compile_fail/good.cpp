// good
#include <am/am.hpp>

struct point {
  double x, y, z;
};

void summed(am::reply_token, am::word) {}
void add(am::request_token t, am::word a, am::word b) { t.reply<summed>(a + b); }
void move_to(am::request_token, point) {}
void take(am::request_token, std::span<const std::byte>, int) {}

void use(am::endpoint& ep) {
  ep.request<add>(0, 2, 3);
  ep.request<move_to>(0, {1, 2, 3});
  ep.request<take>(0, {}, 7);
  (void)ep.try_request<[](am::request_token t) { t.reply<summed>(1); }>(0);
}
