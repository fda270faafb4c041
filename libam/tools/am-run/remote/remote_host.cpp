// The life of the connection with an agent: hello, silence, its end.
#include <libam/tools/am-run/remote/remote_host.hpp>

#include <libam/base/build.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

constexpr auto end_grace = 500ms;  // between the end of the output and that of the command
constexpr auto close_grace = 2s;   // for the command, after the agent has ended
constexpr std::size_t most_first_lines = 500;

rank_set ranks_of(host_group hosts) {
  std::vector<am_rank> all;
  for (const placed_host& each : hosts) all.insert(all.end(), each.ranks.begin(), each.ranks.end());
  std::ranges::sort(all);
  return {std::move(all), hosts.front().ranks.job_size()};
}

}  // namespace

remote_host::remote_host(event_loop& loop, host_events& events, start_order order,
                         output_taker& output, output_taker& errors,
                         std::chrono::seconds peer_timeout)
    : events_(events),
      order_(std::move(order)),
      ranks_(ranks_of(order_.hosts)),
      reports_(events, ranks_),
      peer_timeout_(peer_timeout),
      shell_(loop, [this](const std::string& line) { on_line(line); }),
      pipe_(
          loop, most_up_bytes,
          [this](host_frame kind, seam::bytes_view body) { return on_frame(kind, body); },
          [this] { note_output_end(); }),
      streams_{remote_stream(pipe_, output_stream::output, output),
               remote_stream(pipe_, output_stream::errors, errors)},
      input_(loop, [this](std::string_view bytes) {
        pipe_.send(make_host_frame(host_frame::input, bytes));
      }) {}

const std::string& remote_host::name_of(am_rank rank) const {
  const auto has_it = [rank](const placed_host& each) { return each.ranks.has(rank); };
  return std::ranges::find_if(order_.hosts, has_it)->name;
}

void remote_host::start(std::vector<std::string> command, std::vector<std::string> environment,
                        const sigset_t& signal_mask) {
  if (!shell_.start(command, std::move(environment), signal_mask))
    return lose(base::format("cannot start {}: {}", command.front(), base::errno_text(errno)));
  pipe_.open(shell_.take_output(), shell_.take_input());
  deadline_ = clock::now() + hello_timeout;
}

// The lines before hello explain why it does not come.
void remote_host::on_line(const std::string& line) {
  if (state_ != state::connecting)
    return reports_.pass_message(base::format("host {}: {}", name(), line));
  if (first_lines_.size() > most_first_lines) return;
  first_lines_ += (first_lines_.empty() ? "" : "; ") + line;
}

bool remote_host::on_hello(seam::bytes_view body) {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  std::string build;
  seam::cursor at(body);
  if (!unpack_one(at, magic) || magic != hello_magic || !unpack_one(at, version)) return false;
  const bool readable = unpack_one(at, build);
  if (!readable || version != host_protocol_version || build != base::build_version()) {
    base::make_one_line(build);
    lose(base::format("am-run there is {}, and here it is {}: install one build on all hosts",
                      build.empty() ? "of another version" : base::abbreviate(build),
                      base::build_version()));
    return true;
  }
  state_ = state::running;
  deadline_.reset();
  next_ping_ = clock::now() + ping_interval();
  if (!first_lines_.empty()) on_line(std::exchange(first_lines_, {}));
  pipe_.send(make_start(order_));
  for (const am_rank rank : ranks_)
    for (remote_stream& each : streams_) each.open(rank);
  for (const auto& [epoch, secret] : std::exchange(early_secrets_, {})) set_secret(epoch, secret);
  if (ranks_.has(0)) input_.start();
  return true;
}

// The command ends soon, too, and says more about the reason.
void remote_host::note_output_end() {
  if (pipe_.broke_protocol())
    return lose(state_ == state::connecting
                    ? "what comes from there is not am-run's: does a shell print something when "
                      "it starts?"
                    : "its am-run has sent an invalid frame");
  if (state_ > state::draining) return;
  if (shell_.has_ended()) return lose(shell_.describe_end());
  deadline_ = clock::now() + end_grace;
}

void remote_host::on_children_ended(std::span<const ended_child> children) {
  const auto is_own = [this](const ended_child& each) { return has_child(each.pid); };
  const auto own = std::ranges::find_if(children, is_own);
  if (own == children.end()) return;
  shell_.note_end(own->wait_status);
  if (state_ == state::closing) return close(state::finished);
  if (state_ == state::finished) return;
  // Its last frames may not have been read yet.
  deadline_ = clock::now() + (pipe_.is_open() ? end_grace : 0ms);
}

void remote_host::lose(const std::string& how) {
  if (state_ > state::draining) return;
  std::string line = how;
  if (!first_lines_.empty()) line += base::format(": {}", first_lines_);
  if (state_ == state::connecting && shell_.found_nothing())
    line += " (--prefix says where am-run is on that host)";
  if (state_ == state::connecting) shell_.kill();  // there is no agent that could end it
  close(state::closing);
  events_.on_host_lost(ranks_, line);
}

// Its sources of output end, and the agent if it runs.
void remote_host::close(state next) {
  pipe_.close();
  input_.stop();
  for (const am_rank rank : ranks_)
    for (remote_stream& each : streams_) each.close(rank);
  state_ = shell_.has_ended() || shell_.pid() <= 0 ? state::finished : next;
  deadline_ = clock::now() + close_grace;
}

void remote_host::abandon() {
  if (state_ == state::finished) return;
  shell_.kill();
  close(state::finished);
}

// The answer to the ping before may have been the last that came; a ping may wait behind a large
// frame, or its answer may. The limit is that of the ranks, an eighth less than the time limit
// (keepalive.cpp); they wait for another second, so that they hear of the death first.
remote_host::clock::time_point remote_host::silence_deadline() const {
  return std::max(*unanswered_since_ - ping_interval(), pipe_.last_moved()) +
         std::chrono::milliseconds(peer_timeout_) * 7 / 8;
}

std::optional<remote_host::clock::time_point> remote_host::next_deadline() const {
  if (is_finished()) return std::nullopt;
  if (!is_served() || !pipe_.is_open()) return deadline_;
  auto next = next_ping_;
  if (unanswered_since_) next = std::min(next, silence_deadline());
  return deadline_ ? std::min(*deadline_, next) : next;
}

void remote_host::check_deadline(clock::time_point now) {
  if (is_finished()) return;
  // What has arrived is read first: am-run may have been busy, or stopped.
  if (pipe_.has_unread()) return;
  if (deadline_ && now >= *deadline_) {
    if (state_ == state::closing) return abandon();
    const bool waits_for_hello =
        state_ == state::connecting && pipe_.is_open() && !shell_.has_ended();
    return lose(waits_for_hello
                    ? base::format("no am-run has answered there for {} s", hello_timeout.count())
                    : shell_.describe_end());
  }
  // What has ended is not silent: the end of the command will say more.
  if (!is_served() || !pipe_.is_open()) return;
  if (unanswered_since_ && now >= silence_deadline()) {
    lose(base::format("silent for {} s (AM_PEER_TIMEOUT)", peer_timeout_.count()));
    return abandon();  // its command would wait for that host
  }
  if (now < next_ping_) return;
  pipe_.send(make_host_frame(host_frame::ping));
  next_ping_ = now + ping_interval();
  if (!unanswered_since_) unanswered_since_ = now;
}

}  // namespace am::detail::run
