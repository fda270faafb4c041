// error: am: a request takes a handler whose first parameter is an am::request_token
#include <am/am.hpp>

void on_sum(am::reply_token, am::word) {}
void use(am::endpoint& ep) { ep.request<on_sum>(0, 1); }
