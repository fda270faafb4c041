// The stages of a join under am-run, each with its own error message.
#include <libam/boot/run/handshake.hpp>

#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>
#include <libam/boot/run/protocol.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace am::detail::boot {
namespace {

bool is_join_socket(int number) {
  struct stat what {};
  int type = 0;
  socklen_t size = sizeof type;
  return ::fstat(number, &what) == 0 && S_ISSOCK(what.st_mode) &&
         ::getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

bool make_socket_pair(base::fd& near, base::fd& far) {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return false;
  near = base::fd(both[0]);
  far = base::fd(both[1]);
  return true;
}

// From now on the kernel kills this process when the far end of the lifeline is closed. That works
// for processes of which am-run is not the parent, and needs neither a thread nor a signal handler.
// The first process of a pid namespace does not get such signals, but does get the one at the death
// of its parent, which is outside the namespace and does not outlive am-run. False: am-run had
// ended before.
bool arm_lifeline(int lifeline) {
  if (::getpid() == 1) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(lifeline, F_SETOWN, ::getpid());
  ::fcntl(lifeline, F_SETSIG, SIGKILL);
  ::fcntl(lifeline, F_SETFL, O_ASYNC);
  return base::ready_now(lifeline, 0) == 0;
}

// The far ends are closed on return: while this process held one, it would never see am-run's end.
bool send_hello(int join_socket, join_result& got, std::string& why) {
  base::fd far_connection;
  base::fd far_lifeline;
  if (!make_socket_pair(got.connection, far_connection) ||
      !make_socket_pair(got.lifeline, far_lifeline)) {
    why = base::format("join: socketpair: {}", base::errno_text(errno));
    return false;
  }
  if (!wait_for_socket(join_socket, POLLOUT)) {
    why = base::format("join: am-run has not read hello for {} s", answer_deadline_s);
    return false;
  }
  std::string hello;
  seam::add_number(hello, protocol_version);
  const int descriptors[] = {far_connection.get(), far_lifeline.get()};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(answer_deadline_s);
  if (!base::send_with_retry(join_socket, hello, descriptors, MSG_DONTWAIT, end)) {
    why = base::format("join: cannot send hello to am-run (has it ended?): {}",
                       base::errno_text(errno));
    return false;
  }
  return true;
}

bool read_welcome(seam::bytes_view body, join_result& got, std::string& why) {
  seam::cursor at(body);
  const auto version = at.number();
  const auto rank = at.number();
  const auto ranks = at.number();
  const auto here = at.number();
  const auto cpus = at.number();
  const auto bound_to = at.number();
  const auto host_id = at.long_number();
  const auto secret = at.bytes(got.secret.size());
  if (!version || !rank || !ranks || !here || !cpus || !bound_to || !host_id || !secret ||
      *version != protocol_version || *here == 0 || *here > *ranks || *rank >= *ranks ||
      *ranks > most_ranks) {
    why = "join: am-run's welcome is malformed: is it the am-run of another version?";
    return false;
  }
  // The kernel drops descriptors for which this process has no room.
  if (!got.memory.valid() || !got.wakeup.valid()) {
    why = base::format("join: no descriptors for what am-run sends: {}", base::errno_text(EMFILE));
    return false;
  }
  got.rank = *rank;
  got.ranks = *ranks;
  got.ranks_here = *here;
  got.cpus = *cpus;
  got.bound_to = *bound_to;
  got.host_id = *host_id;
  std::copy(secret->begin(), secret->end(), got.secret.begin());
  return true;
}

constexpr char bad_answer[] = "join: am-run's answer to hello is malformed";

bool await_welcome(join_result& got, std::string& why) {
  frame_reader reader(most_line_bytes);
  std::array<std::byte, 4096> room;
  std::vector<base::fd> passed;
  for (;;) {
    if (const auto answer = reader.next()) {
      if (passed.size() == 2) {
        got.memory = std::move(passed[0]);
        got.wakeup = std::move(passed[1]);
      }
      if (answer->kind == frame_kind::welcome) return read_welcome(answer->body, got, why);
      const auto line = answer->body;
      why.assign(reinterpret_cast<const char*>(line.data()), line.size());
      // With an empty `why` this process would run as a job of one.
      if (answer->kind != frame_kind::refused || why.empty()) why = bad_answer;
      return false;
    }
    if (reader.broken()) {
      why = bad_answer;
      return false;
    }
    if (!wait_for_socket(got.connection.get(), POLLIN)) {
      why = base::format("join: am-run has not answered hello for {} s", answer_deadline_s);
      return false;
    }
    const long received = base::receive_with_descriptors(got.connection.get(), room, passed, 0);
    if (received <= 0) {
      why = "join: am-run has ended before it answered hello: its last line says why";
      return false;
    }
    reader.feed(seam::bytes_view(room).first(static_cast<std::size_t>(received)));
  }
}

}  // namespace

bool wait_for_socket(int socket, short events) {
  return base::wait_ready(
      socket, events, std::chrono::steady_clock::now() + std::chrono::seconds(answer_deadline_s));
}

bool perform_handshake(int join_socket, join_result& got, std::string& why) {
  if (!is_join_socket(join_socket)) {
    why = base::format(
        "join: {}={} is not am-run's socket: the program between am-run and this one must leave "
        "descriptor {} open (or unset {} to run alone)",
        join_socket_variable, join_socket, join_socket, join_socket_variable);
    return false;
  }
  ::fcntl(join_socket, F_SETFD, FD_CLOEXEC);
  if (!send_hello(join_socket, got, why)) return false;
  if (!await_welcome(got, why)) return false;
  if (arm_lifeline(got.lifeline.get())) return true;
  why = "join: am-run has ended";
  return false;
}

}  // namespace am::detail::boot
