// Waits for descriptors and calls whoever watches them. A callback must bear being called when
// there is nothing to do.
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
  void forget(int fd);

  // One wait and the calls that follow. A negative time waits for ever.
  void turn(int milliseconds);

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
