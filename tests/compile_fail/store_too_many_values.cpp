// error: am: this handler takes another number of values
#include <am/am.hpp>

void on_bulk(am::request_token, void*, std::size_t, int) {}
void use(am::endpoint& ep, void* p) { ep.store<on_bulk>(0, p, {}, 1, 2); }
