// error: am: a handler is a function void(am::request_token or am::reply_token, values...)
#include <am/am.hpp>

void add(int, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1); }
