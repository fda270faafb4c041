#include "far_end.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

namespace am_test {

namespace {

constexpr int small_buffer = 64 * 1024;  // the buffer size of a socket

base::settings with(std::uint32_t credits, std::string_view faults) {
  base::settings made;
  if (!faults.empty()) REQUIRE(base::read_faults(faults, made.fault));
  made.log = base::log_level::none;
  made.credits = credits;
  return made;
}

}  // namespace

pair::pair(std::uint32_t credits, std::string_view faults)
    : settings(with(credits, faults)),
      peers(seam::transport_context{0, 2, settings, boot, seen}),
      injector(seam::transport_context{0, 2, settings, boot, seen}),
      channel(seam::transport_context{0, 2, settings, boot, seen}, 1, peers, manager,
              faults.empty() ? nullptr : &injector) {
  seen.account = &channel.credits;
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  socklen_t size = sizeof here;
  constexpr int never_wait = SOCK_CLOEXEC | SOCK_NONBLOCK;
  const base::fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  near_ = base::fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::setsockopt(near_.get(), SOL_SOCKET, SO_SNDBUF, &small_buffer, sizeof small_buffer);
  ::setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &small_buffer, sizeof small_buffer);
  REQUIRE(::bind(listener.get(), address, size) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  REQUIRE(::getsockname(listener.get(), address, &size) == 0);
  REQUIRE(::connect(near_.get(), address, size) == 0);
  far_ = base::fd(::accept4(listener.get(), nullptr, nullptr, never_wait));
  REQUIRE(far_.valid());
  const int at_once = 1;
  for (const int socket : {near_.get(), far_.get()})
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void pair::open() { channel.open(tcp::tcp_link(std::move(near_))); }
void pair::open_encrypted(const tcp::session_keys& keys) {
  channel.open(tcp::tcp_link(std::move(near_), keys));
}

void pair::request(am_word word, am_word last) {
  REQUIRE(channel.credits.free() != 0);
  channel.credits.take();
  channel.send(silent, word, 0, 0, last);
}

void pair::send_frame(std::initializer_list<wire::message> all, std::uint32_t silent) {
  for (const wire::message& one : all) packer.add(one);
  send_bytes(packer.close(silent));
}

void pair::send_bytes(std::span<const std::byte> all) {
  REQUIRE(::send(far_.get(), all.data(), all.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(all.size()));
}

void pair::drop(std::size_t count) {
  stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(count));
}

void pair::take_bulk() {
  const std::size_t count = std::min(bulk_due_, stream_.size());
  bulk.insert(bulk.end(), stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(count));
  drop(count);
  bulk_due_ -= count;
  if (bulk_due_ != 0) return;
  const std::size_t zeros = std::min(zeros_due_, stream_.size());
  for (std::size_t i = 0; i < zeros; ++i) CHECK(stream_[i] == std::byte{});
  drop(zeros);
  zeros_due_ -= zeros;
}

std::vector<wire::message> pair::received_messages() {
  std::array<std::byte, 65536> room;
  for (ssize_t got; (got = ::recv(far_.get(), room.data(), room.size(), MSG_DONTWAIT)) > 0;)
    stream_.insert(stream_.end(), room.begin(), room.begin() + got);
  std::vector<wire::message> all;
  for (;;) {
    take_bulk();
    const aligned_bytes rest(stream_);
    if (bulk_due_ + zeros_due_ != 0 ||
        unpacker_.begin_frame(rest.all()) != wire::unpacker::parse_result::frame)
      break;
    while (auto one = next_of(unpacker_)) all.push_back(*one);
    silent_received = unpacker_.silent();
    drop(unpacker_.frame_bytes());
    bulk_due_ = unpacker_.following();
    zeros_due_ = wire::round_up_to_step(bulk_due_) - bulk_due_;
  }
  CHECK(unpacker_.error_text() == "");
  return all;
}

}  // namespace am_test
