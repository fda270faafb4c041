#include <transports/tcp/channel/connection.hpp>

#include <cerrno>
#include <utility>

namespace am::detail::tcp {

void connection::open(tcp_link established) noexcept {
  link_ = std::move(established);
  link_.set_fault_injector(fault_injector_);
  state_ = state::open;
  has_been_open_ = true;
}

bool connection::on_read_result(ssize_t got) noexcept {
  const int error = errno;
  if (got > 0) return true;
  if (got == 0)
    lose("it has closed the connection without a goodbye", packed::loss_cause::maybe_death);
  else if (error == EBADMSG)  // a record was changed in flight, which this end alone can detect
    lose(tcp_link::error_text(error), packed::loss_cause::error);
  else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
    lose(tcp_link::error_text(error), packed::loss_cause::maybe_death);
  return false;
}

void connection::lose(std::string_view why, packed::loss_cause of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  manager_.on_lost(channel_, why, of);
  end();
}

void connection::mark_left() noexcept {
  end();
  state_ = state::left;
}

void connection::end() noexcept {
  state_ = state::lost;
  frames_out_.end();
  manager_.close(link_.take_socket());
}

std::string connection::describe(bool blocked) const {
  switch (state_) {
    case state::connecting: return "it is not connected yet";
    case state::open: return blocked ? "its connection accepts no more data" : "it is connected";
    case state::left: return "it has left";
    case state::lost: return "its connection is lost";
  }
  return {};
}

}  // namespace am::detail::tcp
