// error: am: a struct of more than 32 bytes does not fit the words: send it as payload
#include <am/am.hpp>

struct matrix {
  double m[5];
};
void invert(am::request_token, matrix) {}
void use(am::endpoint& ep) { ep.request<invert>(0, matrix{}); }
