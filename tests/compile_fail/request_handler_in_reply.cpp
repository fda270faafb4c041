// error: am: a reply wants a handler whose first parameter is an am::reply_token
#include <am/am.hpp>

void ask(am::request_token) {}
void add(am::request_token t) { t.reply<ask>(); }
