// good
// A macro of another library's header, which comes first.
#define AM_OK 17
#include <am/am.hpp>
#include <am/team.hpp>

static_assert(AM_OK == 17);
static_assert(am::status().ok());

void taken(am::request_token, am::word);

void use(am::endpoint& ep) {
  (void)ep.try_request<taken>(0, 1).ok();
  (void)ep.post([] {});
}
