// error: am: this handler takes another number of values
#include <am/am.hpp>

void on_payload(am::reply_token, std::span<const std::byte>, int) {}
void take(am::request_token t) { t.reply<on_payload>(5); }
