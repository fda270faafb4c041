#include <libam/core/endpoint_list.hpp>

#include <libam/core/endpoint.hpp>
#include <libam/core/thread.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace am::detail::core {

namespace {

struct traced_endpoint {
  const endpoint* of;
  const void* owner;  // a thread
  observers by;
};

struct list {
  std::mutex mutex;
  std::vector<endpoint*> open;
  std::vector<traced_endpoint> traced;
  std::vector<std::unique_ptr<endpoint>> closed;
};

// Programs without a trace pay no more than reading it.
std::atomic<bool> may_have_trace = false;

list& the_list() noexcept {
  static list& instance = *new list;
  return instance;
}

void before_fork() { the_list().mutex.lock(); }
void after_fork_in_parent() { the_list().mutex.unlock(); }
void after_fork_in_child() {
  for (endpoint* ep : the_list().open) ep->on_fork();
  the_list().open.clear();
  the_list().traced.clear();
  the_list().mutex.unlock();
}

}  // namespace

bool add_endpoint(endpoint& joined) {
  static const int registered =
      pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
  (void)registered;
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  all.open.push_back(&joined);
  return all.open.size() == 1;
}

void remove_endpoint(endpoint& closed) noexcept {
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  std::erase(all.open, &closed);
}

// No other thread ends an endpoint of this one, so its trace outlives the lock.
observers observers_of_this_thread() noexcept {
  if (!may_have_trace.load(std::memory_order_relaxed)) [[likely]]
    return {};
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  for (const traced_endpoint& one : all.traced)
    if (one.owner == this_thread()) return one.by;
  return {};
}

void own_trace(const endpoint& of) {
  const observers* const by = of.transports().observed_by();
  if (by == nullptr || by->trace == nullptr) return;
  disown_trace(of);
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  all.traced.push_back({&of, this_thread(), *by});
  may_have_trace.store(true, std::memory_order_relaxed);
}

void disown_trace(const endpoint& of) noexcept {
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.traced, [&](const traced_endpoint& one) { return one.of == &of; });
}

void keep_closed_endpoint(std::unique_ptr<endpoint> closed) {
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  all.closed.push_back(std::move(closed));
}

}  // namespace am::detail::core
