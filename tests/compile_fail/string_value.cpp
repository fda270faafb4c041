// error: am: a handler's values travel as bytes: each must be trivially copyable
#include <am/am.hpp>

void say(am::request_token, std::string) {}
void use(am::endpoint& ep) { ep.request<say>(0, "hello"); }
