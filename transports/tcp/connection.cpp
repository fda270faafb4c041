#include <transports/tcp/connection.hpp>

#include <cerrno>
#include <utility>

namespace am::detail::tcp {

void connection::open(tcp::line established) noexcept {
  line_ = std::move(established);
  line_.suffer(faults_);
  state_ = state::open;
  has_been_open_ = true;
}

bool connection::has_come(ssize_t got) noexcept {
  const int error = errno;
  if (got > 0) return true;
  if (got == 0)
    lose("it has closed the connection without a goodbye", packed::sign::of_death);
  else if (error == EBADMSG)  // a record was changed on its way, by whom this end alone can tell
    lose(line::why(error), packed::sign::of_trouble);
  else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
    lose(line::why(error), packed::sign::of_death);
  return false;
}

void connection::lose(std::string_view why, packed::sign of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  keeper_.is_lost(channel_, why, of);
  end();
}

void connection::leave() noexcept {
  end();
  state_ = state::left;
}

void connection::end() noexcept {
  state_ = state::lost;
  frames_out_.end();
  keeper_.close(line_.take_socket());
}

std::string connection::about(bool waits) const {
  switch (state_) {
    case state::connecting: return "no connection stands yet";
    case state::open: return waits ? "its connection takes no more" : "its connection stands";
    case state::left: return "it has left";
    case state::lost: return "its connection is lost";
  }
  return {};
}

}  // namespace am::detail::tcp
