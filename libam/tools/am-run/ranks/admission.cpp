// How the server admits a rank: its hello, the epoch that it joins, its welcome.
#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/random.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace am::detail::run {
namespace {

pid_t other_end(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : -1;
}

}  // namespace

void rank_server::read_hello(am_rank rank, seam::bytes_view text, std::vector<base::fd> passed) {
  const auto version = seam::cursor(text).number();
  if (!version) return;    // no libam sends that
  if (passed.size() != 2)  // nor that: the kernel drops descriptors for which there is no room
    return fail_join(
        base::format("rank {} cannot join: am-run: {}", rank, base::errno_text(EMFILE)),
        std::move(passed));
  if (*version != boot::protocol_version)
    return refuse(
        passed[0].get(),
        base::format("join: this am-run has version {} of the join protocol and the program's "
                     "libam has version {}: use am-run and libam of one build",
                     boot::protocol_version, *version));
  admit(rank, std::move(passed));
}

// At once, or when the secret of the epoch is known.
void rank_server::admit(am_rank rank, std::vector<base::fd> passed) {
  // A leave that was sent before this hello can be read now.
  read_connection(rank);
  rank_state& at = of(rank);
  const int socket = passed[0].get();
  if (at.connection)
    return refuse(socket,
                  base::format("join: rank {} has already joined as process {}: one process "
                               "of each rank may be in the job at a time",
                               rank, at.pid));
  const unsigned number = at.epoch + 1;
  epoch_state& epoch = epochs_[number];
  std::string why;
  if (!open_epoch(epoch, why)) return fail_join(std::move(why), std::move(passed));
  if (!epoch.secret) {
    epoch.waiting.push_back({rank, std::move(passed)});
    if (epoch.waiting.size() == 1) events_.on_secret_wanted(number);
    return;
  }
  const int error = send_welcome(rank, socket, epoch, why);
  if (error == EPIPE) return;  // it has ended meanwhile
  if (error != 0) return fail_join(std::move(why), std::move(passed));
  at.epoch = number;
  at.pid = other_end(socket);
  at.in_fence = false;
  at.connection = std::make_unique<rank_connection>();
  at.connection->socket = std::move(passed[0]);
  at.connection->lifeline = std::move(passed[1]);
  loop_.watch(socket, EPOLLIN, [this, rank] {
    send_more(rank);
    read_connection(rank);
  });
  watch_process(rank);
  events_.on_joined(rank, number, at.pid);
}

void rank_server::set_secret(unsigned number, const seam::job_secret& secret) {
  epoch_state& epoch = epochs_[number];
  if (epoch.secret) return;
  epoch.secret = secret;
  for (pending_hello& each : std::exchange(epoch.waiting, {}))
    admit(each.rank, std::move(each.passed));
}

bool rank_server::open_epoch(epoch_state& epoch, std::string& why) {
  if (epoch.memory.valid()) return true;
  if (base::shared_memory::create(epoch.memory, folder_) != AM_OK) {
    why = base::format("the job has no memory: {}", base::error_text());
    return false;
  }
  epoch.host_id = base::random_word();
  epoch.exit_notifications.resize(ranks_.size());
  epoch.dead.resize(ranks_.size());
  return true;
}

// 0, or an errno and a line.
int rank_server::send_welcome(am_rank rank, int socket, const epoch_state& epoch,
                              std::string& why) {
  // Made here, so that all can wake each other whatever namespaces their programs enter.
  base::fd wakeup;
  if (base::wakeup::create(wakeup) != AM_OK) {
    why = base::format("rank {} cannot join: {}", rank, base::error_text());
    return EMFILE;
  }
  const std::size_t place = ranks_.place_of(rank);
  std::string body;
  seam::add_number(body, boot::protocol_version);
  seam::add_number(body, rank);
  seam::add_number(body, ranks_.job_size());
  seam::add_number(body, ranks_.size());
  seam::add_number(body, binding_.cpus);
  seam::add_number(body,
                   place < binding_.bound_to.size() ? binding_.bound_to[place] : boot::not_bound);
  seam::add_long(body, epoch.host_id);
  body.append(reinterpret_cast<const char*>(epoch.secret->data()), epoch.secret->size());
  const int shared[] = {epoch.memory.get(), wakeup.get()};
  // The socket is fresh, so it takes the few bytes at once.
  if (base::send_with_descriptors(socket, boot::make_frame(boot::frame_kind::welcome, body), shared,
                                  MSG_DONTWAIT) >= 0)
    return 0;
  const int error = errno;
  why = base::format("rank {} cannot join: {}", rank, base::errno_text(error));
  return error;
}

void rank_server::refuse(int socket, std::string line) {
  line.resize(std::min(line.size(), boot::most_line_bytes));
  (void)base::send_with_descriptors(socket, boot::make_frame(boot::frame_kind::refused, line), {},
                                    MSG_DONTWAIT);
}

// One line is enough: the rank is ended before it could print another.
void rank_server::fail_join(std::string line, std::vector<base::fd> passed) {
  std::ranges::move(passed, std::back_inserter(unanswered_hellos_));
  events_.on_failed(launch_failed, std::move(line));
}

}  // namespace am::detail::run
