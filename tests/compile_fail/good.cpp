// good
#include <am/am.hpp>

struct point {
  double x, y, z;
};

void on_sum(am::reply_token, am::word) {}
void add(am::request_token t, am::word a, am::word b) { t.reply<on_sum>(a + b); }
void move_to(am::request_token, point) {}
void on_medium(am::request_token, std::span<const std::byte>, int) {}
void on_bulk(am::request_token, void*, std::size_t, point) {}
void on_get(am::reply_token, void*, std::size_t, int) {}
void on_atomic(am::reply_token, am::word, short) {}
void on_payload(am::reply_token, std::span<const std::byte>, am::word, int, char, bool) {}
void on_request_with_room(am::request_token t, std::span<const std::byte> data) {
  if (data.size() <= t.reply_room()) return t.reply<on_payload>(data, 1, 2, 'c', true);
  if (!t.try_reply_store<on_get>(nullptr, data, 'x')) t.reply_store<on_get>(nullptr, data, 'x');
}

void send(am::endpoint& ep, std::span<const std::byte> data) {
  const am::reply_room room(100);
  int lvalue = 7;
  ep.request<on_request_with_room>(0, room, data);
  ep.request<on_medium>(0, am::reply_room(10), data, lvalue);
  ep.request<add>(0, am::reply_room(10), 2, lvalue);
  (void)ep.try_request<on_request_with_room>(0, room, std::span<const std::byte>());
}

void bulk(am::endpoint& ep, am::segment& there) {
  ep.store<on_bulk>(0, there.address(), {}, point{1, 2, 3});
  ep.store_async<on_bulk, on_get>(0, there.address(), {}, 4, point{1, 2, 3});
  ep.get<on_get>(0, there.address(), {}, 'a');
  ep.fetch_add<on_atomic>(0, nullptr, 1, 5);
}

void use(am::endpoint& ep) {
  ep.request<add>(0, 2, 3);
  ep.request<move_to>(0, {1, 2, 3});
  ep.request<on_medium>(0, {}, 7);
  (void)ep.try_request<[](am::request_token t) { t.reply<on_sum>(1); }>(0);
}
