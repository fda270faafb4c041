#include <libam/base/descriptor_passing.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace am::detail::base {

long send_with_descriptors(int socket, std::string_view bytes, std::span<const int> descriptors,
                           int flags) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(max_passed_descriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  long sent = 0;
  do {
    sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

bool send_with_retry(int socket, std::string_view bytes, std::span<const int> descriptors,
                     int flags, std::chrono::steady_clock::time_point end) {
  while (send_with_descriptors(socket, bytes, descriptors, flags) < 0) {
    if (errno != ETOOMANYREFS || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

long receive_with_descriptors(int socket, std::span<std::byte> room, std::vector<fd>& descriptors,
                              int flags) {
  iovec part{room.data(), room.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(max_passed_descriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long received = 0;
  do {
    received = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return received;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof number);
      descriptors.emplace_back(number);
    }
  }
  return received;
}

}  // namespace am::detail::base
