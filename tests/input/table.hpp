// Calls with one bad argument each: the expected status and the error text. All ranks make them in
// the same order, so that collective calls match.
#pragma once

#include <am/am.hpp>

#include <functional>
#include <string>
#include <vector>

namespace am_test {

// The place of a call.
struct place {
  am_ep* ep;
  am_rank rank;
  am_rank ranks;
  [[nodiscard]] am_rank next() const noexcept { return (rank + 1) % ranks; }
};

struct bad_call {
  const char* call;  // as in am.h, or as in C++
  const char* what;  // the bad argument
  am_status status;  // the expected status
  // Of the error text, with the given value and the possible ones; empty: no text.
  std::string pattern;
  std::function<am_status(const place&)> make;
};

using table = std::vector<bad_call>;
void add_endpoint_calls(table& rows);
void add_messages(table& rows);
void add_bulk_calls(table& rows);
void add_segments(table& rows);
void add_key_store_calls(table& rows);
void add_collectives(table& rows);
void add_handlers_and_tokens(table& rows);
void add_cpp_calls(table& rows);

// A handler that is not registered.
const am_handler* unregistered_handler();
// A registered handler: for requests, bulk data and completions.
const am_handler* registered_handler();

// For a call without a status: AM_OK if its result is right.
inline am_status as_status(bool right) { return right ? AM_OK : AM_ENDPOINT_CORRUPT; }

// The status of what a C++ call throws.
am_status thrown_by(const std::function<void()>& call);

inline constexpr char no_endpoint[] = "there is no endpoint \\(null\\): it has left its job";
inline constexpr char no_number[] =
    ": handler input.unregistered has no number: .*call update_handlers on all ranks";
// "this job has ranks 0 to 1", for any job.
inline constexpr char these_ranks[] = ": this job has ranks 0 to [0-9]+";

}  // namespace am_test
