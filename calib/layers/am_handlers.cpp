#include <calib/layers/am_handlers.hpp>

namespace calib {

void asked(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  auto& here = *token.context<ledger>();
  here.sum += a + b + c + d;
  token.reply<answered>(here.sum, b, c, d);
}

void posted(am::request_token token, am::word a, am::word b, am::word c, am::word d) {
  token.context<ledger>()->sum += a + b + c + d;
}

void answered(am::reply_token token, am::word sum, am::word, am::word, am::word) {
  auto& here = *token.context<ledger>();
  here.sum_there = sum;
  ++here.answers;
}

void told_to_leave(am::request_token token) { token.context<ledger>()->leave = true; }

}  // namespace calib
