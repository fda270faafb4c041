// A wait's `done` as the function and pointer that am_ep_wait takes, and the way out for what it
// throws. Included by am.hpp alone.
#pragma once

#include <am/detail/post.hpp>

#include <exception>
#include <type_traits>

namespace am::detail {

template <class Predicate>
struct waiting {
  std::remove_reference_t<Predicate>* done;
  std::exception_ptr thrown;

  void rethrow() const {
    if (thrown) std::rethrow_exception(thrown);
    rethrow_posted();
  }
  static int ask(void* self) {
    if (thrown_by_posted != nullptr) return 1;
    auto* w = static_cast<waiting*>(self);
    try {
      return (*w->done)() ? 1 : 0;
    } catch (...) {
      w->thrown = std::current_exception();
      return 1;
    }
  }
};

}  // namespace am::detail
