// The commands of am-run to an agent.
#include <libam/tools/am-run/remote/agent.hpp>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

namespace am::detail::run {
namespace {

bool is_signal(std::uint32_t number) { return number < static_cast<std::uint32_t>(NSIG); }

}  // namespace

bool agent::on_frame(host_frame kind, seam::bytes_view body) {
  stopped_ = false;
  if (kind == host_frame::ping) {
    pipe_.send(make_host_frame(host_frame::pong));
    return true;
  }
  if (kind == host_frame::start) {
    if (has_order() || !read_start(body, order_)) return false;
    prepare();
    return true;
  }
  if (!has_order()) return false;
  switch (kind) {
    case host_frame::taken:
    case host_frame::close_output:
    case host_frame::input: return on_forwarding_frame(kind, body);
    case host_frame::retire:
    case host_frame::explain: return on_rank_command(kind, body);
    default: return on_command(kind, body);
  }
}

bool agent::on_command(host_frame kind, seam::bytes_view body) {
  std::uint32_t number = 0;
  std::uint32_t spare = 0;
  std::string bytes;
  switch (kind) {
    case host_frame::secret: {
      seam::job_secret secret;
      if (!unpack(body, number, bytes) || bytes.size() != secret.size()) return false;
      const seam::bytes_view from = seam::as_bytes(bytes);
      std::copy(from.begin(), from.end(), secret.begin());
      hosts_.set_secret(number, secret);
      return true;
    }
    case host_frame::fenced:
      if (!unpack(body, number, bytes)) return false;
      hosts_.send_fenced(number, std::make_shared<const std::string>(std::move(bytes)));
      return true;
    case host_frame::end_ranks:
      if (!unpack(body, number, spare) || !is_signal(number)) return false;
      hosts_.end_ranks(static_cast<int>(number), false,
                       spare == no_spare ? std::nullopt : std::optional<am_rank>(spare));
      return true;
    case host_frame::pass_signal:
      if (!unpack(body, number) || !is_signal(number)) return false;
      stopped_ = number == SIGTSTP;
      hosts_.pass_signal(static_cast<int>(number));
      return true;
    default: return false;
  }
}

bool agent::on_rank_command(host_frame kind, seam::bytes_view body) {
  std::uint32_t rank = 0;
  std::uint32_t epoch = 0;
  std::uint64_t exit_report = 0;
  if (kind == host_frame::retire) {
    if (!unpack(body, rank, epoch, exit_report)) return false;
    hosts_.retire(rank, epoch, exit_report);
    if (hosts_.has(rank)) up_.gatherer.note_retired(epoch);
    return true;
  }
  if (!unpack(body, rank) || !hosts_.has(rank)) return false;
  hosts_.of(rank).explain(rank);
  return true;
}

bool agent::on_forwarding_frame(host_frame kind, seam::bytes_view body) {
  std::uint32_t rank = 0;
  std::uint32_t which = 0;
  std::uint32_t bytes = 0;
  std::string input;
  if (kind == host_frame::input) return unpack(body, input) && input_.write(input);
  const bool closes = kind == host_frame::close_output;
  if (!(closes ? unpack(body, which) : unpack(body, rank, which, bytes))) return false;
  forwarded_output* const stream = stream_of(which);
  if (stream == nullptr) return false;
  closes ? stream->close_all() : stream->grant(rank, bytes);
  return true;
}

}  // namespace am::detail::run
