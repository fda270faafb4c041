// error: am: a reply handler cannot reply: a reply cannot be answered
#include <am/am.hpp>

void on_bulk(am::reply_token, void*, std::size_t) {}
void on_payload(am::reply_token t, std::span<const std::byte>) {
  t.reply_store<on_bulk>(nullptr, am::bytes_in());
}
