// The frames of an agent as events, and the commands to it as frames. A frame about a rank of
// another host is invalid.
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/tools/am-run/remote/remote_host.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::run {
namespace {

constexpr std::size_t most_line = 2000;

std::string one_line(std::string text) {
  text.resize(std::min(text.size(), most_line));
  base::make_one_line(text);
  return text;
}

}  // namespace

bool remote_stream::take(am_rank rank, std::string_view bytes) {
  if (bytes.size() > room_) return false;
  room_ -= bytes.size();
  sink_.feed(rank, bytes);
  return true;
}

void remote_stream::on_taken(std::size_t bytes) {
  room_ += bytes;
  agent_.send(make_host_frame(host_frame::taken, static_cast<std::uint32_t>(which_),
                              static_cast<std::uint32_t>(bytes)));
}

void remote_stream::on_closed() {
  agent_.send(make_host_frame(host_frame::close_output, static_cast<std::uint32_t>(which_)));
}

bool remote_host::on_frame(host_frame kind, seam::bytes_view body) {
  if (state_ == state::connecting) return kind == host_frame::hello && on_hello(body);
  if (state_ > state::draining) return true;
  unanswered_since_.reset();
  switch (kind) {
    case host_frame::output:
    case host_frame::input_taken: return on_forwarding_frame(kind, body);
    case host_frame::pong: return true;
    case host_frame::all_ended: state_ = state::draining; return true;
    case host_frame::done:
      if (state_ != state::draining) return false;
      close(state::closing);
      return true;
    case host_frame::message: {
      std::string line;
      if (!unpack(body, line)) return false;
      events_.on_message(base::format("host {}: {}", name_, one_line(std::move(line))));
      return true;
    }
    case host_frame::failed: {
      std::uint32_t status = 0;
      std::string line;
      if (!unpack(body, status, line)) return false;
      events_.on_failed(static_cast<int>(status & 0xffU),
                        base::format("host {}: {}", name_, one_line(std::move(line))));
      return true;
    }
    case host_frame::secret_wanted: {
      std::uint32_t epoch = 0;
      if (!unpack(body, epoch)) return false;
      events_.on_secret_wanted(epoch);
      return true;
    }
    default: return on_rank_frame(kind, body);
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
  return unpack(body, rank, which, bytes) && order_.block.has(rank) && which < streams_.size() &&
         streams_[which].take(rank, bytes);
}

bool remote_host::on_rank_frame(host_frame kind, seam::bytes_view body) {
  seam::cursor at(body);
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  std::uint32_t pid = 0;
  std::uint64_t offset = 0;
  std::string text;
  if (!unpack_one(at, rank) || !order_.block.has(rank)) return false;
  const seam::bytes_view rest = at.rest();
  switch (kind) {
    case host_frame::started:
      if (!unpack(rest, pid)) return false;
      for (remote_stream& each : streams_) each.open(rank);
      events_.on_started(rank, static_cast<pid_t>(pid));
      return true;
    case host_frame::ended:
      if (!unpack(rest, number)) return false;
      events_.on_ended(rank, static_cast<int>(number));
      return true;
    case host_frame::explained:
      if (!unpack(rest, number)) return false;
      events_.on_explained(rank, number != 0);
      return true;
    case host_frame::joined:
      if (!unpack(rest, number, pid)) return false;
      events_.on_joined(rank, number, static_cast<pid_t>(pid));
      return true;
    case host_frame::contributed:
      if (!unpack(rest, number, text) || !seam::read_blobs(seam::as_bytes(text))) return false;
      events_.on_contributed(rank, number, std::move(text));
      return true;
    case host_frame::watching:
      if (!unpack(rest, number, offset)) return false;
      events_.on_watching(rank, number, offset);
      return true;
    case host_frame::left:
      if (!unpack(rest, number)) return false;
      events_.on_left(rank, number);
      return true;
    case host_frame::lost: events_.on_lost(rank); return rest.empty();
    case host_frame::aborted:
      if (!unpack(rest, number, text)) return false;
      events_.on_aborted(rank, static_cast<int>(number), one_line(std::move(text)));
      return true;
    default: return false;
  }
}

// Before hello nothing has been started, so nothing has to end there.
void remote_host::end_ranks(int signal, std::optional<am_rank> spare) {
  if (state_ == state::connecting) return abandon();
  pipe_.send(make_host_frame(host_frame::end_ranks, static_cast<std::uint32_t>(signal),
                             spare ? static_cast<std::uint32_t>(*spare) : no_spare));
}

void remote_host::pass_signal(int signal) {
  if (state_ != state::connecting)
    pipe_.send(make_host_frame(host_frame::pass_signal, static_cast<std::uint32_t>(signal)));
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
  pipe_.send(make_host_frame(host_frame::fenced, epoch, std::string_view(*frame)));
}

void remote_host::retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) {
  pipe_.send(
      make_host_frame(host_frame::retire, static_cast<std::uint32_t>(rank), epoch, exit_report));
}

}  // namespace am::detail::run
