// error: am: a handler cannot send requests
#include <am/am.hpp>

void on_request(am::request_token) {}
void on_sum(am::reply_token t) { t.request<on_request>(0); }
