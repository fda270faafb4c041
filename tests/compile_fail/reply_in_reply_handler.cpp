// error: am: a reply handler cannot reply: a reply cannot be answered
#include <am/am.hpp>

void on_again(am::reply_token) {}
void on_sum(am::reply_token t) { t.reply<on_again>(); }
