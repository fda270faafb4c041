// error: am: a handler cannot send requests
#include <am/am.hpp>

void ask(am::request_token) {}
void summed(am::reply_token t) { t.request<ask>(0); }
