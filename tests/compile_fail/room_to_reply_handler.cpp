// error: am: a request wants a handler whose first parameter is an am::request_token
#include <am/am.hpp>

void took(am::reply_token, int) {}
void use(am::endpoint& ep) { ep.request<took>(0, am::reply_room(16), 5); }
