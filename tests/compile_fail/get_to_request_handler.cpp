// error: am: a reply takes a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void on_bulk(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, const void* p) { ep.get<on_bulk>(0, p, {}); }
