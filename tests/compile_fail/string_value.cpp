// error: am: a handler's values travel as bytes: each must be trivially copyable
#include <am/am.hpp>

void on_string(am::request_token, std::string) {}
void use(am::endpoint& ep) { ep.request<on_string>(0, "hello"); }
