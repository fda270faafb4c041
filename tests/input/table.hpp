// Calls with one bad argument each: what they have to answer, and the one line that they leave. All
// ranks make them in the same order, so that those which are collective are so here, too.
#pragma once

#include <am/am.hpp>

#include <functional>
#include <string>
#include <vector>

namespace am_test {

// Where a call is made.
struct place {
  am_ep* ep;
  am_rank rank;
  am_rank ranks;
  [[nodiscard]] am_rank next() const noexcept { return (rank + 1) % ranks; }
};

struct bad_call {
  const char* call;  // as in am.h, or as C++ has it
  const char* what;  // is bad
  am_status status;  // that it returns
  std::string
      pattern;  // of its line, with what was given and what is possible; empty: says nothing
  std::function<am_status(const place&)> make;
};

using table = std::vector<bad_call>;
void add_endpoint_calls(table& rows);
void add_messages(table& rows);
void add_bulk_calls(table& rows);
void add_segments(table& rows);
void add_board_calls(table& rows);
void add_collectives(table& rows);
void add_handlers_and_tokens(table& rows);
void add_cpp_calls(table& rows);

// A handler that nobody has registered.
const am_handler* stranger();
// Handlers that are: of requests, of bulk data, of what ends a call.
const am_handler* known();

// For a call without a status: AM_OK if what it answered is right.
inline am_status as_status(bool right) { return right ? AM_OK : AM_ENDPOINT_CORRUPT; }

// What a C++ call throws.
am_status thrown_by(const std::function<void()>& call);

inline constexpr char no_endpoint[] = "there is no endpoint \\(null\\): it has left its job";
inline constexpr char no_number[] =
    ": handler input.stranger has no number: .*call update_handlers on all ranks";
// "this job has ranks 0 to 1", whatever the job.
inline constexpr char these_ranks[] = ": this job has ranks 0 to [0-9]+";

}  // namespace am_test
