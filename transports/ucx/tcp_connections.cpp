#include <transports/ucx/tcp_connections.hpp>

#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

namespace am::detail::ucx {

namespace {

bool is_epoll_set(int descriptor) {
  std::error_code none;
  return std::filesystem::read_symlink(base::format("/proc/self/fd/{}", descriptor), none) ==
         "anon_inode:[eventpoll]";
}

// A program that another thread executes meanwhile does not inherit the descriptor.
std::string text_of(const std::string& path) {
  std::string text;
  const base::fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char room[4096];
  for (ssize_t count; (count = ::read(file.get(), room, sizeof room)) > 0;)
    text.append(room, static_cast<std::size_t>(count));
  return text;
}

// Each has a line: "tfd:       19 events:       19 data: ...".
std::vector<int> descriptors_in(int epoll_set) {
  std::vector<int> all;
  std::istringstream about(text_of(base::format("/proc/self/fdinfo/{}", epoll_set)));
  for (std::string word; about >> word;)
    if (int number = -1; word == "tfd:" && about >> number) all.push_back(number);
  return all;
}

bool has_option(int socket, int option, int value) noexcept {
  int actual = -1;
  socklen_t size = sizeof actual;
  return ::getsockopt(socket, SOL_SOCKET, option, &actual, &size) == 0 && actual == value;
}

bool is_tcp(int descriptor) noexcept { return has_option(descriptor, SO_PROTOCOL, IPPROTO_TCP); }

}  // namespace

tcp_connections::tcp_connections(std::span<const int> opened) {
  for (const int one : opened)
    if (is_epoll_set(one)) epoll_sets_.push_back(one);
}

std::vector<tcp_connection> tcp_connections::find() const {
  std::vector<tcp_connection> found;
  for (const int set : epoll_sets_) {
    for (const int one : descriptors_in(set)) {
      base::set_close_on_exec(one);
      if (!is_tcp(one)) continue;
      const auto near = packed::address::local_of(one);
      const auto far = packed::address::remote_of(one);
      if (near && far) found.push_back({one, *near, *far});
    }
  }
  return found;
}

std::vector<packed::address> listening_addresses(std::span<const int> descriptors) {
  std::vector<packed::address> all;
  for (const int one : descriptors) {
    if (!is_tcp(one) || !has_option(one, SO_ACCEPTCONN, 1)) continue;
    if (const auto here = packed::address::local_of(one)) all.push_back(*here);
  }
  return all;
}

}  // namespace am::detail::ucx
