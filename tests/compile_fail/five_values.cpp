// error: am: a handler takes at most four values
#include <am/am.hpp>

void add(am::request_token, int, int, int, int, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1, 2, 3, 4, 5); }
