// error: am: this handler takes another number of values
#include <am/am.hpp>

void add(am::request_token, am::word, am::word) {}
void use(am::endpoint& ep) { ep.request<add>(0, 1); }
