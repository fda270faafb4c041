// error: am: a handler of (token, void*, std::size_t, ...) takes bulk data: reply_store it
#include <am/am.hpp>

void on_bulk(am::reply_token, void*, std::size_t) {}
void take(am::request_token t, void* p) { t.reply<on_bulk>(p, std::size_t{1}); }
