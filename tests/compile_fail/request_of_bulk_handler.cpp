// error: am: a handler of (token, void*, std::size_t, ...) takes bulk data: store or get it
#include <am/am.hpp>

void on_bulk(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, void* p) { ep.request<on_bulk>(0, p, std::size_t{1}); }
