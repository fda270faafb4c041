// error: am: these values do not convert to those that the handler takes
#include <am/am.hpp>

void on_sum(am::reply_token, int) {}
void add(am::request_token t) { t.reply<on_sum>("five"); }
