// error: am: bulk data takes a handler whose parameters are a token, void* where, std::size_t
#include <am/am.hpp>

void on_payload(am::reply_token, std::span<const std::byte>) {}
void take(am::request_token t, void* p) { t.reply_store<on_payload>(p, {}); }
