#include <libam/tools/am-run/remote/remote_stream.hpp>

namespace am::detail::run {

bool remote_stream::take(am_rank rank, std::string_view bytes) {
  if (bytes.size() > room_) return false;
  room_ -= bytes.size();
  to_.feed(rank, bytes);
  return true;
}

void remote_stream::on_taken(std::size_t bytes) {
  room_ += bytes;
  agent_.send(make_host_frame(host_frame::taken, which_, static_cast<std::uint32_t>(bytes)));
}

}  // namespace am::detail::run
