// good
#include <am/am.hpp>

struct point {
  double x, y, z;
};

void summed(am::reply_token, am::word) {}
void add(am::request_token t, am::word a, am::word b) { t.reply<summed>(a + b); }
void move_to(am::request_token, point) {}
void take(am::request_token, std::span<const std::byte>, int) {}
void landed(am::request_token, void*, std::size_t, point) {}
void have(am::reply_token, void*, std::size_t, int) {}
void was(am::reply_token, am::word, short) {}

void bulk(am::endpoint& ep, am::segment& there) {
  ep.store<landed>(0, there.address(), {}, point{1, 2, 3});
  ep.store_async<landed, have>(0, there.address(), {}, 4, point{1, 2, 3});
  ep.get<have>(0, there.address(), {}, 'a');
  ep.fetch_add<was>(0, nullptr, 1, 5);
}

void use(am::endpoint& ep) {
  ep.request<add>(0, 2, 3);
  ep.request<move_to>(0, {1, 2, 3});
  ep.request<take>(0, {}, 7);
  (void)ep.try_request<[](am::request_token t) { t.reply<summed>(1); }>(0);
}
