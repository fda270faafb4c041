// am.h: bulk data. Each call goes to the function of core that implements it.
#include <libam/face/guard.hpp>

using am::detail::core::endpoint;
using am::detail::face::guarded_at;

extern "C" {

am_status am_ep_store(am_ep* ep, am_rank to, void* where, const void* data, size_t bytes,
                      const am_handler* handler, am_word w0, am_word w1, am_word w2, am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.bulk_calls().store(to, where, data, bytes, handler, words);
  });
}

am_status am_ep_try_store(am_ep* ep, am_rank to, void* where, const void* data, size_t bytes,
                          const am_handler* handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.bulk_calls().try_store(to, where, data, bytes, handler, words);
  });
}

am_status am_ep_store_async(am_ep* ep, am_rank to, void* where, const void* data, size_t bytes,
                            const am_handler* handler, am_word w0, am_word w1, am_word w2,
                            am_word w3, const am_handler* done, am_word context) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.bulk_calls().store_async(to, where, data, bytes, handler, words, done, context);
  });
}

am_status am_ep_get(am_ep* ep, am_rank from, const void* where, void* to, size_t bytes,
                    const am_handler* done, am_word w0, am_word w1, am_word w2, am_word w3) {
  const am_word words[AM_WORDS] = {w0, w1, w2, w3};
  return guarded_at(ep, [&](endpoint& self) {
    return self.bulk_calls().get(from, where, to, bytes, done, words);
  });
}

am_status am_ep_atomic(am_ep* ep, am_rank at, am_word* where, am_atomic_op op, am_word operand,
                       am_word expected, const am_handler* done, am_word w0, am_word w1,
                       am_word w2) {
  const am_word words[] = {w0, w1, w2};
  return guarded_at(ep, [&](endpoint& self) {
    return self.bulk_calls().atomic(at, where, op, operand, expected, done, words);
  });
}

}  // extern "C"
