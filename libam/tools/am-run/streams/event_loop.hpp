// Waits for events of descriptors and calls their callbacks. A callback may be called when there is
// nothing to do.
#pragma once

#include <libam/base/fd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace am::detail::run {

class event_loop {
 public:
  event_loop();

  // False: this kind of file is always ready and cannot be watched (regular files, /dev/null).
  bool watch(int fd, std::uint32_t events, std::function<void()> callback);
  void change(int fd, std::uint32_t events);
  void unwatch(int fd);

  // Waits once and makes the calls. A negative time waits for ever.
  void run_once(int milliseconds);

 private:
  struct watcher {
    std::uint32_t serial;
    std::function<void()> callback;
  };

  base::fd epoll_;
  std::map<int, std::shared_ptr<const watcher>> watchers_;
  std::uint32_t last_serial_ = 0;
};

}  // namespace am::detail::run
