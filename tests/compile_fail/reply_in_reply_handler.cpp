// error: am: a reply handler cannot reply: nothing may answer an answer
#include <am/am.hpp>

void again(am::reply_token) {}
void summed(am::reply_token t) { t.reply<again>(); }
