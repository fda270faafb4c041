// error: am: a reply wants a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void landed(am::request_token, void*, std::size_t) {}
void take(am::request_token t, void* p) { t.reply_store<landed>(p, {}); }
