// error: am: a reply handler cannot reply: nothing may answer an answer
#include <am/am.hpp>

void landed(am::reply_token, void*, std::size_t) {}
void took(am::reply_token t, std::span<const std::byte>) {
  t.reply_store<landed>(nullptr, am::bytes_in());
}
