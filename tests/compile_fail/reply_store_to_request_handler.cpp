// error: am: a reply takes a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void on_bulk(am::request_token, void*, std::size_t) {}
void take(am::request_token t, void* p) { t.reply_store<on_bulk>(p, {}); }
