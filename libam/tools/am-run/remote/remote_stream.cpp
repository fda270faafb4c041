#include <libam/tools/am-run/remote/remote_stream.hpp>

namespace am::detail::run {

bool remote_stream::take(am_rank rank, std::string_view bytes) {
  std::size_t& room = room_[rank];
  if (bytes.size() > room) return false;
  room -= bytes.size();
  to_.feed(rank, bytes);
  return true;
}

void remote_stream::on_taken(am_rank rank, std::size_t bytes) {
  room_[rank] += bytes;
  agent_.send(make_host_frame(host_frame::taken, static_cast<std::uint32_t>(rank), which_,
                              static_cast<std::uint32_t>(bytes)));
}

}  // namespace am::detail::run
