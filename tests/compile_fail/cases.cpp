// Programs for am.hpp, one to a case. The second text of a case is "good" if it compiles, which
// proves that the others fail for their own reason; otherwise the compiler's first error contains
// it. compile_fail.py compiles one.

CASE("copied_token", "deleted");
void add(am::request_token t) { am::request_token kept = t; }

CASE("five_values", "am: a handler takes at most four values");
void add(am::request_token, int, int, int, int, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1, 2, 3, 4, 5); }

CASE("get_to_request_handler",
     "am: a reply takes a handler whose first parameter is an am::reply_token");
void on_bulk(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, const void* p) { ep.get<on_bulk>(0, p, {}); }

CASE("good", "good");
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

CASE("large_struct",
     "am: a struct of more than 32 bytes does not fit the words: send it as payload");
struct matrix {
  double m[5];
};
void invert(am::request_token, matrix) {}
void use(am::endpoint& ep) { ep.request<invert>(0, matrix{}); }

CASE("macro_of_another_header", "good");
// A macro of another library's header, which is included first.
#define AM_OK 17
#include <am/am.hpp>
#include <am/team.hpp>

static_assert(AM_OK == 17);
static_assert(am::status().ok());

void on_taken(am::request_token, am::word);

void use(am::endpoint& ep) {
  (void)ep.try_request<on_taken>(0, 1).ok();
  (void)ep.post([] {});
}

CASE("medium_reply_without_payload", "am: this handler takes another number of values");
void on_payload(am::reply_token, std::span<const std::byte>, int) {}
void take(am::request_token t) { t.reply<on_payload>(5); }

CASE("not_a_handler",
     "am: a handler is a function void(am::request_token or am::reply_token, values...)");
void add(int, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1); }

CASE("reply_handler_in_request",
     "am: a request takes a handler whose first parameter is an am::request_token");
void on_sum(am::reply_token, am::word) {}
void use(am::endpoint& ep) { ep.request<on_sum>(0, 1); }

CASE("reply_in_reply_handler", "am: a reply handler cannot reply: a reply cannot be answered");
void on_again(am::reply_token) {}
void on_sum(am::reply_token t) { t.reply<on_again>(); }

CASE("reply_of_bulk_handler",
     "am: a handler of (token, void*, std::size_t, ...) takes bulk data: reply_store it");
void on_bulk(am::reply_token, void*, std::size_t) {}
void take(am::request_token t, void* p) { t.reply<on_bulk>(p, std::size_t{1}); }

CASE("reply_store_in_reply_handler",
     "am: a reply handler cannot reply: a reply cannot be answered");
void on_bulk(am::reply_token, void*, std::size_t) {}
void on_payload(am::reply_token t, std::span<const std::byte>) {
  t.reply_store<on_bulk>(nullptr, am::bytes_in());
}

CASE("reply_store_of_medium_handler",
     "am: bulk data takes a handler whose parameters are a token, void* where, std::size_t");
void on_payload(am::reply_token, std::span<const std::byte>) {}
void take(am::request_token t, void* p) { t.reply_store<on_payload>(p, {}); }

CASE("reply_store_to_request_handler",
     "am: a reply takes a handler whose first parameter is an am::reply_token");
void on_bulk(am::request_token, void*, std::size_t) {}
void take(am::request_token t, void* p) { t.reply_store<on_bulk>(p, {}); }

CASE("request_handler_in_reply",
     "am: a reply takes a handler whose first parameter is an am::reply_token");
void on_request(am::request_token) {}
void add(am::request_token t) { t.reply<on_request>(); }

CASE("request_in_reply_handler", "am: a handler cannot send requests");
void on_request(am::request_token) {}
void on_sum(am::reply_token t) { t.request<on_request>(0); }

CASE("request_in_request_handler", "am: a handler cannot send requests");
void on_request(am::request_token) {}
void add(am::request_token t) { t.request<on_request>(0); }

CASE("request_of_bulk_handler",
     "am: a handler of (token, void*, std::size_t, ...) takes bulk data: store or get it");
void on_bulk(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, void* p) { ep.request<on_bulk>(0, p, std::size_t{1}); }

CASE("returns_a_value",
     "am: a handler is a function void(am::request_token or am::reply_token, values...)");
int add(am::request_token) { return 1; }
void use(am::endpoint& ep) { ep.request<add>(0); }

CASE("room_to_reply_handler",
     "am: a request takes a handler whose first parameter is an am::request_token");
void on_payload(am::reply_token, int) {}
void use(am::endpoint& ep) { ep.request<on_payload>(0, am::reply_room(16), 5); }

CASE("room_too_many_values", "am: this handler takes another number of values");
void take(am::request_token, int) {}
void use(am::endpoint& ep) { ep.request<take>(0, am::reply_room(16), 5, 6); }

CASE("room_wrong_type", "am: these values do not convert to those that the handler takes");
void take(am::request_token, std::span<const std::byte>) {}
void use(am::endpoint& ep) { ep.request<take>(0, am::reply_room(16), 5); }

CASE("six_values", "am: a handler takes at most four values");
void add(am::request_token, int, int, int, int, int, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1, 2, 3, 4, 5, 6); }

CASE("store_of_small_handler",
     "am: bulk data takes a handler whose parameters are a token, void* where");
void small(am::request_token, int) {}
void use(am::endpoint& ep, void* p) { ep.store<small>(0, p, {}, 1); }

CASE("store_too_many_values", "am: this handler takes another number of values");
void on_bulk(am::request_token, void*, std::size_t, int) {}
void use(am::endpoint& ep, void* p) { ep.store<on_bulk>(0, p, {}, 1, 2); }

CASE("string_value", "am: a handler's values travel as bytes: each must be trivially copyable");
void on_string(am::request_token, std::string) {}
void use(am::endpoint& ep) { ep.request<on_string>(0, "hello"); }

CASE("struct_and_value",
     "am: a handler takes up to four values of at most 8 bytes, or one struct of at most 32");
struct pair {
  am::word a, b;
};
void add(am::request_token, pair, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, {1, 2}, 3); }

CASE("too_few_values", "am: this handler takes another number of values");
void add(am::request_token, am::word, am::word) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1); }

CASE("too_many_values", "am: this handler takes another number of values");
void add(am::request_token, am::word, am::word) {}
void use(am::endpoint& ep) { (void)ep.try_request<add>(0, 1, 2, 3); }

CASE("too_many_values_in_reply", "am: this handler takes another number of values");
void on_sum(am::reply_token, am::word) {}
void add(am::request_token t) { t.reply<on_sum>(1, 2); }

CASE("wrong_type", "am: these values do not convert to those that the handler takes");
struct point {
  double x, y;
};
void move_to(am::request_token, point) {}
void use(am::endpoint& ep) { ep.request<move_to>(0, "here"); }

CASE("wrong_type_in_reply", "am: these values do not convert to those that the handler takes");
void on_sum(am::reply_token, int) {}
void add(am::request_token t) { t.reply<on_sum>("five"); }

CASE("splitc_atomic_result", "am: an atomic function returns up to 16 bytes, trivially copyable");
#include <am/splitc.hpp>
#include <array>
std::array<int, 5> all_of(std::array<int, 5>& a) { return a; }
void use(am::splitc::world& w, am::splitc::global_ptr<std::array<int, 5>> g) {
  w.atomic<all_of>(g);
}

CASE("splitc_element", "am: what travels must be trivially copyable");
#include <am/splitc.hpp>
#include <string>
void use(am::splitc::world& w) { (void)w.spread<std::string>(5); }

CASE("splitc_put_of_string", "am: what travels must be trivially copyable");
#include <am/splitc.hpp>
#include <string>
void use(am::splitc::world& w, am::splitc::global_ptr<std::string> g) { w.put(g, "text"); }

CASE("splitc_fetch_add_of_float", "am: fetch_add takes integers");
#include <am/splitc.hpp>
void use(am::splitc::world& w, am::splitc::global_ptr<double> g) { w.fetch_add(g, 1.0); }

CASE("splitc_exchange_of_int", "am: an atomic operation changes 8 bytes");
#include <am/splitc.hpp>
void use(am::splitc::world& w, am::splitc::global_ptr<int> g) { w.exchange(g, 1); }

CASE("splitc_good", "good");
#include <am/splitc.hpp>
void use(am::splitc::world& w, am::splitc::global_ptr<long> g) {
  w.exchange(g, 1);
  w.fetch_add(*g, 1);
  w.store(g, 1);
}
