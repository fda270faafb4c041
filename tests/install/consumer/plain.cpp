// A C++ program without exceptions: am.h only, compiled with -fno-exceptions -fno-rtti.
#include <am/am.h>

struct sum {
  am_word value = 0;
};

static void on_sum(am_token token, const am_word* words, const void*, size_t) {
  static_cast<sum*>(am_ep_context(am_token_endpoint(token)))->value = words[0];
}
AM_HANDLER(on_sum, "on_sum");

static void on_add(am_token token, const am_word* words, const void*, size_t) {
  am_token_reply(token, AM_H(on_sum), words[0] + words[1], 0, 0, 0);
}
AM_HANDLER(on_add, "on_add");

int main(int argc, char** argv) {
  am_ep* ep = nullptr;
  if (am_join(&argc, &argv, &ep) != AM_OK) return 1;
  sum total;
  am_ep_set_context(ep, &total);
  if (am_job_fence(ep) != AM_OK) return 1;  // no rank sends before every rank has its context
  const am_rank next = (am_ep_rank(ep) + 1) % am_ep_ranks(ep);
  if (am_ep_request(ep, next, AM_H(on_add), 2, 3, 0, 0) != AM_OK) return 1;
  const auto is_here = [](void* arg) -> int { return static_cast<sum*>(arg)->value != 0; };
  if (am_ep_wait(ep, is_here, &total) != AM_OK) return 1;
  return am_ep_close(ep) == AM_OK && total.value == 5 ? 0 : 1;
}
