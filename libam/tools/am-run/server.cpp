// Doors and conversations. Nothing here waits: what a socket does not take now is sent later.
#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/one_line.hpp>
#include <libam/base/passing.hpp>
#include <libam/base/random.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/why.hpp>
#include <libam/tools/am-run/server.hpp>
#include <libam/tools/am-run/verdict.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

namespace am::detail::run {
namespace {

pid_t other_end(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : -1;
}

std::string text_of(seam::bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

server::server(event_loop& loop, server_listener& listener, am_rank ranks, const binding& places,
               std::string folder, std::chrono::seconds patience)
    : loop_(loop),
      listener_(listener),
      cpus_(places),
      folder_(std::move(folder)),
      patience_(patience),
      places_(ranks) {}

base::fd server::open_door(am_rank rank) {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) return {};
  places_[rank].door = base::fd(both[0]);
  loop_.watch(places_[rank].door.get(), EPOLLIN, [this, rank] { read_door(rank); });
  return base::fd(both[1]);
}

void server::settle(am_rank rank) {
  read_conversation(rank);
  read_door(rank);
  read_conversation(rank);
}

bool server::others_inside(am_rank rank) const {
  for (am_rank other = 0; other < places_.size(); ++other)
    if (other != rank && inside(other)) return true;
  return false;
}

void server::read_door(am_rank rank) {
  place& at = places_[rank];
  while (at.door.valid()) {
    std::array<std::byte, 64> hello;
    std::vector<base::fd> passed;
    const long count = base::receive_with(at.door.get(), hello, passed, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {  // nobody holds the other end any more
      loop_.forget(at.door.get());
      at.door = base::fd();
      return;
    }
    const auto said = seam::bytes_view(hello).first(static_cast<std::size_t>(count));
    let_in(rank, said, std::move(passed));
  }
}

void server::let_in(am_rank rank, seam::bytes_view hello, std::vector<base::fd> passed) {
  const auto version = seam::cursor(hello).number();
  if (!version) return;    // no libam speaks so
  if (passed.size() != 2)  // nor so: the kernel has kept what there was no room for
    return fail_to_let_in(base::format("rank {} cannot join: am-run: {}", rank, base::why(EMFILE)),
                          std::move(passed));
  const int socket = passed[0].get();
  if (*version != boot::protocol_version)
    return refuse(socket,
                  base::format("join: this am-run speaks version {} of the joining protocol "
                               "and the program's libam version {}: use one libam",
                               boot::protocol_version, *version));
  // A leave that was said before this hello is there to be read.
  read_conversation(rank);
  place& at = places_[rank];
  if (at.conversation)
    return refuse(socket,
                  base::format("join: rank {} has already joined as process {}: one process "
                               "of each rank may be in the job at a time",
                               rank, at.pid));
  gathering& epoch = epochs_[at.epoch + 1];
  if (!epoch.memory.valid()) {
    if (!base::fill_with_secret(epoch.secret))
      return fail_to_let_in(base::format("the job has no secret: getrandom: {}", base::why(errno)),
                            std::move(passed));
    if (base::shared_memory::create(epoch.memory, folder_) != AM_OK)
      return fail_to_let_in(base::format("the job has no memory: {}", base::error_text()),
                            std::move(passed));
    epoch.parts.resize(places_.size());
    epoch.watches.resize(places_.size());
    epoch.dead.resize(places_.size());
  }
  // Made here, so that all can ring each other whatever namespaces their programs move to.
  base::fd bell;
  if (base::bell::create(bell) != AM_OK)
    return fail_to_let_in(base::format("rank {} cannot join: {}", rank, base::error_text()),
                          std::move(passed));
  std::string body;
  seam::add_number(body, boot::protocol_version);
  seam::add_number(body, rank);
  seam::add_number(body, static_cast<std::uint32_t>(places_.size()));
  seam::add_number(body, cpus_.cpus);
  seam::add_number(body, rank < cpus_.bound_to.size() ? cpus_.bound_to[rank] : boot::not_bound);
  body.append(reinterpret_cast<const char*>(epoch.secret.data()), epoch.secret.size());
  const int shared[] = {epoch.memory.get(), bell.get()};
  // The socket is fresh, so it takes this little at once.
  if (base::send_with(socket, boot::make_frame(boot::frame_kind::welcome, body), shared,
                      MSG_DONTWAIT) < 0) {
    if (errno == EPIPE) return;  // it has ended meanwhile
    return fail_to_let_in(base::format("rank {} cannot join: {}", rank, base::why(errno)),
                          std::move(passed));
  }
  ++at.epoch;
  at.pid = other_end(socket);
  at.conversation = std::make_unique<talk>();
  at.conversation->socket = std::move(passed[0]);
  at.conversation->lifeline = std::move(passed[1]);
  loop_.watch(socket, EPOLLIN, [this, rank] {
    send_more(rank);
    read_conversation(rank);
  });
  watch_process(rank);
  listener_.joined(rank);
}

void server::watch_process(am_rank rank) {
  talk& with = *places_[rank].conversation;
  with.process = base::fd(static_cast<int>(::syscall(SYS_pidfd_open, places_[rank].pid, 0)));
  if (!with.process.valid()) return;
  loop_.watch(with.process.get(), EPOLLIN, [this, rank] {
    read_conversation(rank);  // to its last word
    lose(rank);
  });
}

void server::lose(am_rank rank) {
  if (!places_[rank].conversation) return;
  close_conversation(rank);
  listener_.lost(rank);
}

void server::refuse(int socket, std::string line) {
  line.resize(std::min(line.size(), boot::most_line_bytes));
  (void)base::send_with(socket, boot::make_frame(boot::frame_kind::refused, line), {},
                        MSG_DONTWAIT);
}

// One line is enough: the rank is ended before it could say another.
void server::fail_to_let_in(std::string line, std::vector<base::fd> passed) {
  std::ranges::move(passed, std::back_inserter(unanswered_));
  listener_.failed(launch_failed, std::move(line));
}

void server::read_conversation(am_rank rank) {
  place& at = places_[rank];
  std::array<std::byte, 1U << 16> room;
  // More than a socket holds, so that all that one has said before it ended is read; but one that
  // never ends must not keep the others waiting.
  constexpr unsigned most_pieces = 1024;
  for (unsigned pieces = 0; at.conversation && pieces < most_pieces; ++pieces) {
    talk& with = *at.conversation;
    std::vector<base::fd> passed;  // nobody wants them
    const long count = base::receive_with(with.socket.get(), room, passed, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    bool good = count > 0;
    if (good) {
      with.reader.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
      // What has been said may end the conversation.
      while (good && at.conversation) {
        const auto said = with.reader.next();
        if (!said) break;
        good = take(rank, *said);
      }
      good = good && (!at.conversation || !with.reader.broken());
    }
    if (!good) lose(rank);
  }
}

bool server::take(am_rank rank, const boot::frame& said) {
  switch (said.kind) {
    case boot::frame_kind::fence: return take_fence(rank, said.body);
    case boot::frame_kind::watch: return take_watch(rank, said.body);
    case boot::frame_kind::leave:
      count_out(rank);
      close_conversation(rank);
      return true;
    case boot::frame_kind::abort: {
      seam::cursor at(said.body);
      const auto status = at.number();
      if (!status) return false;
      std::string line =
          text_of(at.rest().first(std::min(at.rest().size(), boot::most_line_bytes)));
      base::make_one_line(line);
      close_conversation(rank);
      listener_.aborted(rank, static_cast<int>(*status), std::move(line));
      return true;
    }
    default: return false;
  }
}

void server::count_out(am_rank rank) {
  places_[rank].completed = places_[rank].epoch;
  ++epochs_[places_[rank].epoch].left;
  forget_if_over(places_[rank].epoch);
}

void server::forget_if_over(unsigned number) {
  const gathering& epoch = epochs_[number];
  if (epoch.left + epoch.deaths == places_.size()) epochs_.erase(number);
}

void server::close_conversation(am_rank rank) {
  place& at = places_[rank];
  loop_.forget(at.conversation->socket.get());
  if (at.conversation->process.valid()) loop_.forget(at.conversation->process.get());
  at.conversation.reset();
}

void server::send(am_rank rank, std::shared_ptr<const std::string> frame) {
  if (!places_[rank].conversation) return;
  places_[rank].conversation->outgoing.push_back(std::move(frame));
  send_more(rank);
}

void server::send_more(am_rank rank) {
  if (!places_[rank].conversation) return;
  talk& with = *places_[rank].conversation;
  while (!with.outgoing.empty()) {
    const std::string& frame = *with.outgoing.front();
    const auto rest = std::string_view(frame).substr(with.sent);
    const long count = base::send_with(with.socket.get(), rest, {}, MSG_DONTWAIT);
    if (count < 0) break;  // full, or ended: then reading says so
    with.sent += static_cast<std::size_t>(count);
    if (with.sent < frame.size()) continue;
    with.outgoing.pop_front();
    with.sent = 0;
  }
  loop_.change(with.socket.get(), with.outgoing.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

}  // namespace am::detail::run
