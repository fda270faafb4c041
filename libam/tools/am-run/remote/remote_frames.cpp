// The frames of an agent, and the commands to it as frames.
#include <libam/tools/am-run/remote/remote_host.hpp>

#include <csignal>
#include <utility>

namespace am::detail::run {
bool remote_host::on_frame(host_frame kind, seam::bytes_view body) {
  if (state_ == state::connecting) return kind == host_frame::hello && on_hello(body);
  if (state_ > state::draining) return true;
  unanswered_since_.reset();
  switch (kind) {
    case host_frame::output:
    case host_frame::input_taken: return on_forwarding_frame(kind, body);
    case host_frame::pong: return true;
    case host_frame::all_ended: state_ = state::draining; return !reports_.any_running();
    case host_frame::done:
      if (state_ != state::draining) return false;
      close(state::closing);
      return true;
    default: return reports_.read(kind, body);
  }
}

bool remote_host::on_forwarding_frame(host_frame kind, seam::bytes_view body) {
  if (kind == host_frame::input_taken) {
    std::uint32_t bytes = 0;
    if (!unpack(body, bytes)) return false;
    input_.grant(bytes);
    return true;
  }
  std::uint32_t rank = 0;
  std::uint32_t which = 0;
  std::string bytes;
  return unpack(body, rank, which, bytes) && ranks_.has(rank) && which < streams_.size() &&
         streams_[which].take(rank, bytes);
}

// Before hello nothing has been started, so nothing has to end there.
void remote_host::end_ranks(int signal, std::optional<am_rank> spare) {
  if (state_ == state::connecting) return abandon();
  pipe_.send(make_host_frame(host_frame::end_ranks, static_cast<std::uint32_t>(signal),
                             spare ? static_cast<std::uint32_t>(*spare) : no_spare));
}

// Where no agent has answered yet, the command that reaches it stops instead: it brings no hello,
// so no rank is started, and the time does not count.
void remote_host::pass_signal(int signal) {
  if (state_ != state::connecting) {
    pipe_.send(make_host_frame(host_frame::pass_signal, static_cast<std::uint32_t>(signal)));
  } else if (signal == SIGTSTP) {
    shell_.signal(SIGSTOP);
    deadline_.reset();
  } else if (signal == SIGCONT) {
    shell_.signal(SIGCONT);
    deadline_ = clock::now() + hello_timeout;
  }
}

void remote_host::explain(am_rank rank) {
  pipe_.send(make_host_frame(host_frame::explain, static_cast<std::uint32_t>(rank)));
}

void remote_host::set_secret(unsigned epoch, const seam::job_secret& secret) {
  if (state_ == state::connecting) {
    early_secrets_.emplace_back(epoch, secret);
    return;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(secret.data()), secret.size());
  pipe_.send(make_host_frame(host_frame::secret, epoch, bytes));
}

void remote_host::send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) {
  pipe_.send(make_host_frame_head(host_frame::fenced, epoch, frame->size()));
  pipe_.send(std::move(frame));
}

void remote_host::retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) {
  pipe_.send(
      make_host_frame(host_frame::retire, static_cast<std::uint32_t>(rank), epoch, exit_report));
}

}  // namespace am::detail::run
