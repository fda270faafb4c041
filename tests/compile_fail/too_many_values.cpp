// error: am: this handler takes another number of values
#include <am/am.hpp>

void add(am::request_token, am::word, am::word) {}
void use(am::endpoint& ep) { (void)ep.try_request<add>(0, 1, 2, 3); }
