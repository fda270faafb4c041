// error: am: these values do not convert to those that the handler takes
#include <am/am.hpp>

struct point {
  double x, y;
};
void move_to(am::request_token, point) {}
void use(am::endpoint& ep) { ep.request<move_to>(0, "here"); }
