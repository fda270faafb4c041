// error: am: this handler takes another number of values
#include <am/am.hpp>

void on_sum(am::reply_token, am::word) {}
void add(am::request_token t) { t.reply<on_sum>(1, 2); }
