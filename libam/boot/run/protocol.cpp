// Frames in and out of bytes, descriptors in and out of control messages.
#include <libam/boot/run/protocol.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace am::detail::boot {
namespace {

constexpr std::size_t header_bytes = 2 * sizeof(std::uint32_t);

std::string_view as_text(bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void add_number(std::string& to, std::uint32_t number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  to.append(raw, sizeof raw);
}

void add_long(std::string& to, std::uint64_t number) {
  add_number(to, static_cast<std::uint32_t>(number));
  add_number(to, static_cast<std::uint32_t>(number >> 32));
}

void add_blob(std::string& to, std::string_view key, bytes_view blob) {
  add_number(to, static_cast<std::uint32_t>(key.size()));
  add_number(to, static_cast<std::uint32_t>(blob.size()));
  to.append(key);
  to.append(as_text(blob));
}

std::string make_frame(frame_kind kind, std::string_view body) {
  std::string out;
  out.reserve(header_bytes + body.size());
  add_number(out, static_cast<std::uint32_t>(body.size()));
  add_number(out, static_cast<std::uint32_t>(kind));
  out.append(body);
  return out;
}

std::optional<std::uint32_t> cursor::number() noexcept {
  const auto raw = bytes(sizeof(std::uint32_t));
  if (!raw) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, raw->data(), sizeof value);
  return value;
}

std::optional<std::uint64_t> cursor::long_number() noexcept {
  const auto low = number();
  const auto high = number();
  if (!low || !high) return std::nullopt;
  return std::uint64_t{*high} << 32 | *low;
}

std::optional<bytes_view> cursor::bytes(std::size_t count) noexcept {
  if (count > rest_.size()) return std::nullopt;
  const bytes_view taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::optional<std::vector<blob_view>> read_blobs(bytes_view body) {
  std::vector<blob_view> blobs;
  cursor at(body);
  while (!at.empty()) {
    const auto key_bytes = at.number();
    const auto blob_bytes = at.number();
    if (!key_bytes || !blob_bytes || *key_bytes > most_key_bytes) return std::nullopt;
    const auto key = at.bytes(*key_bytes);
    const auto blob = at.bytes(*blob_bytes);
    if (!key || !blob) return std::nullopt;
    blobs.push_back({as_text(*key), *blob});
  }
  return blobs;
}

void frame_reader::feed(bytes_view piece) {
  if (broken_) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  buffer_.insert(buffer_.end(), piece.begin(), piece.end());
}

std::optional<frame> frame_reader::next() {
  if (broken_) return std::nullopt;
  cursor at(bytes_view(buffer_).subspan(taken_));
  const auto bytes = at.number();
  const auto kind = at.number();
  if (!bytes || !kind) return std::nullopt;
  if (*bytes > most_body_) {
    broken_ = true;
    return std::nullopt;
  }
  const auto body = at.bytes(*bytes);
  if (!body) return std::nullopt;
  taken_ += header_bytes + *bytes;
  return frame{static_cast<frame_kind>(*kind), *body};
}

long send_with(int socket, std::string_view bytes, std::span<const int> descriptors, int flags) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(most_passed * sizeof(int))] = {};
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

long receive_with(int socket, std::span<std::byte> room, std::vector<base::fd>& descriptors,
                  int flags) {
  iovec part{room.data(), room.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(most_passed * sizeof(int))];
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

}  // namespace am::detail::boot
