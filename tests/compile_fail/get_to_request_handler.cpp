// error: am: a reply wants a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void landed(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, const void* p) { ep.get<landed>(0, p, {}); }
