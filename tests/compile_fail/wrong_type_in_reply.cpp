// error: am: these values do not convert to those that the handler takes
#include <am/am.hpp>

void summed(am::reply_token, int) {}
void add(am::request_token t) { t.reply<summed>("five"); }
