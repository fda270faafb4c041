// The handlers of the am layer. They are compiled apart from the loops that are timed, as the
// handlers of an ordinary program may be, and change memory that is checked after each sample.
#pragma once

#include <am/am.hpp>

namespace calib {

// What messages have changed at this rank; the context of its endpoint.
struct ledger {
  am::word sum = 0;        // of all words of all requests handled here
  am::word sum_there = 0;  // the same at the other rank, by the last answer
  am::word answers = 0;    // handled here
  bool leave = false;
};

// Requests of four words: one that is answered with `answered`, and one that is not.
void asked(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void posted(am::request_token token, am::word a, am::word b, am::word c, am::word d);
void answered(am::reply_token token, am::word sum, am::word b, am::word c, am::word d);
void told_to_leave(am::request_token token);

}  // namespace calib
