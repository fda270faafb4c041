// error: am: a handler is a function void(am::request_token or am::reply_token, values...)
#include <am/am.hpp>

int add(am::request_token) { return 1; }
void use(am::endpoint& ep) { ep.request<add>(0); }
