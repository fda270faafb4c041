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
void took(am::reply_token, std::span<const std::byte>, am::word, int, char, bool) {}
void answer(am::request_token t, std::span<const std::byte> data) {
  if (data.size() <= t.reply_room()) return t.reply<took>(data, 1, 2, 'c', true);
  if (!t.try_reply_store<have>(nullptr, data, 'x')) t.reply_store<have>(nullptr, data, 'x');
}

void ask(am::endpoint& ep, std::span<const std::byte> data) {
  const am::reply_room room(100);
  int lvalue = 7;
  ep.request<answer>(0, room, data);
  ep.request<take>(0, am::reply_room(10), data, lvalue);
  ep.request<add>(0, am::reply_room(10), 2, lvalue);
  (void)ep.try_request<answer>(0, room, std::span<const std::byte>());
}

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
