// What a library over am.hpp keeps for each endpoint, where its handlers find it by their token.
//
// It is never destroyed, as the address of an am_ep is never used again; so a thread may cache the
// last one. Only its endpoint's owner uses it.
#pragma once

#include <am/am.hpp>

#include <map>
#include <mutex>

namespace am::detail {

/// Made as State(ep) at first use.
template <class State>
State& find_of_endpoint(am_ep* ep) {
  static std::mutex mutex;
  static auto& all = *new std::map<am_ep*, State>;
  const std::lock_guard lock(mutex);
  return all.try_emplace(ep, ep).first->second;
}

template <class State>
State& of_endpoint(am_ep* ep) {
  thread_local am_ep* last = nullptr;
  thread_local State* found = nullptr;
  if (ep != last) {
    found = &find_of_endpoint<State>(ep);
    last = ep;
  }
  return *found;
}

}  // namespace am::detail
