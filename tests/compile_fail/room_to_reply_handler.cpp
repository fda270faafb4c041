// error: am: a request takes a handler whose first parameter is an am::request_token
#include <am/am.hpp>

void on_payload(am::reply_token, int) {}
void use(am::endpoint& ep) { ep.request<on_payload>(0, am::reply_room(16), 5); }
