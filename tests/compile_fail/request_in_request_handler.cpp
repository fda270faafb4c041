// error: am: a handler cannot send requests
#include <am/am.hpp>

void ask(am::request_token) {}
void add(am::request_token t) { t.request<ask>(0); }
