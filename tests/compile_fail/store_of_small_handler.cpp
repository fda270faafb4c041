// error: am: bulk data takes a handler whose parameters are a token, void* where
#include <am/am.hpp>

void small(am::request_token, int) {}
void use(am::endpoint& ep, void* p) { ep.store<small>(0, p, {}, 1); }
