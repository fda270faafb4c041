// One stream of output of the ranks that an agent starts, and of those below it: that of each rank
// is read only as far as am-run has room for it.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>
#include <libam/tools/am-run/streams/output.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::run {

class forwarded_output final : public output_taker {
 public:
  // `forward` gets what a rank has written; nothing: it writes nothing more.
  using taker = std::function<void(am_rank rank, std::string_view bytes)>;
  forwarded_output(event_loop& loop, taker forward) : loop_(loop), forward_(std::move(forward)) {}

  void add(am_rank rank, base::fd pipe);
  void add(am_rank rank, output_origin& origin) override;
  void feed(am_rank rank, std::string_view bytes) override;
  // am-run has room for so many bytes more of this rank.
  void grant(am_rank rank, std::size_t bytes);
  // No one reads it: the ranks are to notice that.
  void close_all();

  [[nodiscard]] bool done() const noexcept { return open_ == 0; }
  // It waits for am-run, not for the ranks.
  [[nodiscard]] bool congested() const;

 private:
  struct source {
    am_rank rank = 0;
    base::fd pipe;
    output_origin* origin = nullptr;  // instead of a pipe
    std::string arrived;              // from the origin, while there is no room
    bool ended = false;               // nothing follows what has arrived
    bool watched = false;
    std::size_t window = output_window;
    [[nodiscard]] bool open() const noexcept { return pipe.valid() || origin != nullptr; }
  };

  source& add_source(am_rank rank);
  void watch_pipe(source& one);
  void read_from(source& from);
  void pass_arrived(source& from);
  void pass(source& from, std::string_view bytes);
  void close(source& from);

  event_loop& loop_;
  taker forward_;
  std::map<am_rank, source> sources_;
  std::size_t open_ = 0;
  bool closed_ = false;
};

}  // namespace am::detail::run
