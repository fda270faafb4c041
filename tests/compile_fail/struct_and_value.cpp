// error: am: a handler takes up to four values of at most 8 bytes, or one struct of at most 32
#include <am/am.hpp>

struct pair {
  am::word a, b;
};
void add(am::request_token, pair, int) {}
void use(am::endpoint& ep) { ep.request<add>(0, {1, 2}, 3); }
