// error: am: a request wants a handler whose first parameter is an am::request_token
#include <am/am.hpp>

void summed(am::reply_token, am::word) {}
void use(am::endpoint& ep) { ep.request<summed>(0, 1); }
