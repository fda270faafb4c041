// error: am: a reply takes a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void on_request(am::request_token) {}
void add(am::request_token t) { t.reply<on_request>(); }
