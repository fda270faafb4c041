// error: am: this handler takes another number of values
#include <am/am.hpp>

void summed(am::reply_token, am::word) {}
void add(am::request_token t) { t.reply<summed>(1, 2); }
