// error: am: a reply carries words only, no payload
#include <am/am.hpp>

void took(am::reply_token, std::span<const std::byte>) {}
void take(am::request_token t) { t.reply<took>({}); }
