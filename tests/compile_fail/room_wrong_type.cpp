// error: am: these values do not convert to those that the handler takes
#include <am/am.hpp>

void take(am::request_token, std::span<const std::byte>) {}
void use(am::endpoint& ep) { ep.request<take>(0, am::reply_room(16), 5); }
