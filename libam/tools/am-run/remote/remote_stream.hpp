// One stream of output of all ranks of an agent's hosts, and how much of it the agent may still
// send.
#pragma once

#include <libam/tools/am-run/remote/frame_pipe.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/streams/output.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace am::detail::run {

class remote_stream final : public output_origin {
 public:
  remote_stream(frame_pipe& agent, output_stream which, output_taker& to)
      : agent_(agent), which_(static_cast<std::uint32_t>(which)), to_(to) {}
  void open(am_rank rank) {
    room_[rank] = output_window;
    to_.add(rank, *this);
  }
  // False: more than there was room for.
  bool take(am_rank rank, std::string_view bytes);
  void close(am_rank rank) { to_.feed(rank, {}); }
  void on_taken(am_rank rank, std::size_t bytes) override;
  void on_closed() override { agent_.send(make_host_frame(host_frame::close_output, which_)); }

 private:
  frame_pipe& agent_;
  const std::uint32_t which_;
  output_taker& to_;
  std::map<am_rank, std::size_t> room_;
};

}  // namespace am::detail::run
