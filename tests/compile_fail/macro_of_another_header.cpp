// good
// A macro of another library's header, which is included first.
#define AM_OK 17
#include <am/am.hpp>
#include <am/team.hpp>

static_assert(AM_OK == 17);
static_assert(am::status().ok());

void on_taken(am::request_token, am::word);

void use(am::endpoint& ep) {
  (void)ep.try_request<on_taken>(0, 1).ok();
  (void)ep.post([] {});
}
