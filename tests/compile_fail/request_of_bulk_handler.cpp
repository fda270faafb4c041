// error: am: a handler of (token, void*, std::size_t, ...) takes bulk data: store or get it
#include <am/am.hpp>

void landed(am::request_token, void*, std::size_t) {}
void use(am::endpoint& ep, void* p) { ep.request<landed>(0, p, std::size_t{1}); }
