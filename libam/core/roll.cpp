#include <libam/core/endpoint.hpp>
#include <libam/core/roll.hpp>

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace am::detail::core {

namespace {

struct list {
  std::mutex mutex;
  std::vector<endpoint*> living;
  std::vector<std::unique_ptr<endpoint>> left;
};

list& the_list() noexcept {
  static list& instance = *new list;
  return instance;
}

void before_fork() { the_list().mutex.lock(); }
void after_fork_in_parent() { the_list().mutex.unlock(); }
void after_fork_in_child() {
  for (endpoint* ep : the_list().living) ep->forked();
  the_list().living.clear();
  the_list().mutex.unlock();
}

}  // namespace

bool enroll(endpoint& joined) {
  static const int registered =
      pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
  (void)registered;
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  all.living.push_back(&joined);
  return all.living.size() == 1;
}

void strike(endpoint& left) noexcept {
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  std::erase(all.living, &left);
}

void keep(std::unique_ptr<endpoint> left) {
  list& all = the_list();
  const std::lock_guard lock(all.mutex);
  all.left.push_back(std::move(left));
}

}  // namespace am::detail::core
