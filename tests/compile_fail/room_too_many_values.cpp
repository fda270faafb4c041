// error: am: this handler takes another number of values
#include <am/am.hpp>

void take(am::request_token, int) {}
void use(am::endpoint& ep) { ep.request<take>(0, am::reply_room(16), 5, 6); }
