// error: deleted
#include <am/am.hpp>

void add(am::request_token t) { am::request_token kept = t; }
