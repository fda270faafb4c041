// The two inputs of tcp: bytes of strangers before the proof, and those of a rank that has proved
// its identity, in any order and cut anywhere.
#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"
#include "../wire/messages.hpp"
#include "base_stubs.hpp"
#include "target.hpp"

#include <libam/base/settings.hpp>
#include <transports/tcp/channel/channel.hpp>
#include <transports/tcp/connect/handshake.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

namespace packed = am::detail::packed;
namespace tcp = am::detail::tcp;
namespace wire = am::detail::wire;
namespace seam = am::detail::seam;
namespace base = am::detail::base;
using am_test::fuzz::input_reader;

namespace {

constexpr seam::job_secret secret{std::byte{17}};

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void drain(int socket) {
  std::array<std::byte, 65536> room;
  while (::recv(socket, room.data(), room.size(), MSG_DONTWAIT) > 0) {
  }
}

}  // namespace

// ---- strangers ----------------------------------------------------------------------------------

// No connection without the secret is accepted, and none receives more than the handshake needs.
AM_FUZZ_TARGET(tcp_proof) {
  AM_PROMISE(tcp::init_sodium());
  input_reader in(input);
  const std::uint8_t how = in.byte();
  const tcp::identity me{secret, 0, 2, (how & 2) != 0};
  int both[2];
  AM_PROMISE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both) == 0);
  base::fd near(both[0]);
  const base::fd far(both[1]);
  std::optional<tcp::listener_handshake> listening_end;
  std::optional<tcp::connector_handshake> connecting_end;
  if ((how & 1) != 0)
    listening_end.emplace(std::move(near), me);
  else
    connecting_end.emplace(std::move(near), me, 1);
  tcp::handshake_state at = tcp::handshake_state::in_progress;
  while (at == tcp::handshake_state::in_progress && !in.empty()) {
    const std::string_view part = in.text(1U + in.byte());
    (void)::send(far.get(), part.data(), part.size(), MSG_NOSIGNAL);
    at = listening_end ? listening_end->advance() : connecting_end->advance();
  }
  AM_PROMISE(at != tcp::handshake_state::proven);
  AM_PROMISE((at == tcp::handshake_state::failed) ==
             !(listening_end ? listening_end->why() : connecting_end->why()).empty());
  std::array<std::byte, 256> received;
  AM_PROMISE(::recv(far.get(), received.data(), received.size(), MSG_DONTWAIT) <= 64);
}

// ---- a rank that has proved its identity --------------------------------------------------------

namespace {

struct checking_manager final : tcp::channel_manager {
  void on_input(tcp::channel&) noexcept override {}
  void set_write_interest(tcp::channel&, bool) noexcept override {}
  void on_lost(tcp::channel&, std::string_view why, packed::loss_cause) noexcept override {
    AM_PROMISE(!why.empty() && !lost);
    lost = true;
  }
  void close(base::fd) noexcept override {}
  bool lost = false;
};

struct counting_failure_sink final : seam::failure_sink {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  void on_lost_request(am_rank, const seam::lost_request&) noexcept override { ++count; }
  std::uint32_t count = 0;
};

// Two ends of a connection over the loopback interface, which leaves nothing behind.
std::pair<base::fd, base::fd> connection() {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  const base::fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  base::fd near(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  AM_PROMISE(::bind(listener.get(), address, size) == 0 && ::listen(listener.get(), 1) == 0);
  AM_PROMISE(::getsockname(listener.get(), address, &size) == 0);
  // The fuzzer's timer may interrupt it; the connection is then established asynchronously.
  while (::connect(near.get(), address, size) != 0 && errno != EISCONN)
    AM_PROMISE(errno == EINTR || errno == EALREADY);
  base::fd far(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  AM_PROMISE(far.valid());
  const linger none{1, 0};
  ::setsockopt(far.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  ::setsockopt(near.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  return {std::move(near), std::move(far)};
}

constexpr std::size_t arena_bytes = std::size_t{64} * 1024;
// The target of a piece: memory between inaccessible pages, or an unmapped address.
std::uint64_t place(input_reader& in, const am_test::fuzz::arena& memory, std::uint64_t bytes) {
  const std::uint32_t offset = in.number();
  if (offset % 4 == 0) return std::uint64_t{1} << 20;  // below what the system gives out
  return reinterpret_cast<std::uintptr_t>(memory.data() + offset % (memory.size() - bytes + 1));
}

wire::message any_message(input_reader& in, const am_test::fuzz::arena& memory) {
  wire::message one{};
  one.kind = static_cast<wire::message_kind>(
      1 + in.byte() % static_cast<unsigned>(wire::last_message_kind));
  const std::uint8_t flags = in.byte();
  if (wire::has_handler(one.kind)) {
    one.handler = flags % 8;
    for (unsigned i = 0; i < flags / 8 % 5; ++i) one.words[i] = in.byte();
  }
  one.credit_requested = wire::is_request(one.kind) && flags >= 128;
  if (wire::has_reason(one.kind)) one.reason = in.number();
  if (wire::has_address(one.kind)) one.bytes = 1 + in.number() % arena_bytes;
  if (wire::has_address(one.kind)) one.where = place(in, memory, one.bytes);
  if (one.kind == wire::message_kind::request_with_room) one.room = in.number() % 20'000;
  if (wire::has_payload(one.kind)) {
    const std::string_view payload = in.text(in.byte());
    one.data = as_bytes(payload).data();
    one.bytes = payload.size();
  }
  return one;
}

class session {
 public:
  explicit session(input_reader& in)
      : in_(in), channel_({0, 2, settings_, boot_, seen_}, 1, peers_, manager_, nullptr) {
    auto [near, far] = connection();
    far_ = std::move(far);
    am_test::fuzz::set_reachable_arena(&memory_);
    channel_.open(tcp::tcp_link(std::move(near)));
    seen_.account = &channel_.credits;
  }
  ~session() { am_test::fuzz::set_reachable_arena(nullptr); }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  void run() {
    while (!in_.empty() && channel_.current_state() == tcp::channel::state::open)
      act(in_.byte() % 9);
    if (channel_.current_state() != tcp::channel::state::open) {
      const std::size_t ran = seen_.all.size();
      channel_.take_messages(64);
      AM_PROMISE(seen_.all.size() == ran);
    }
    // Every unanswered request returns, once.
    const std::uint32_t unanswered = channel_.credits.in_flight();
    counting_failure_sink all;
    channel_.fail_pending(all);
    AM_PROMISE(all.count == unanswered);
    AM_PROMISE(puts_under_way() == 0);
  }

 private:
  static base::settings few_credits() {
    base::settings made;
    made.log = base::log_level::none;
    made.credits = 5;
    return made;
  }

  void act(unsigned what) {
    switch (what) {
      case 0: send_frame(); break;
      case 1: (void)channel_.take_messages(1U + in_.byte()); break;
      case 2: {
        const std::string_view raw = in_.text(in_.byte());
        send(as_bytes(raw));
        break;
      }
      case 3: request(); break;
      case 4: put(); break;
      case 5: channel_.refresh_credits(); break;
      case 6:
        channel_.publish();
        channel_.flush();
        channel_.resume_sending();
        drain(far_.get());
        break;
      case 7: request_with_room(); break;
      default: ::shutdown(far_.get(), SHUT_WR); break;
    }
    AM_PROMISE(channel_.credits.is_consistent());
  }
  void send(std::span<const std::byte> bytes) {
    (void)::send(far_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void send_frame() {
    wire::message last{};
    for (unsigned count = in_.byte() % 8; count != 0 && !packer_.full(); --count)
      packer_.add(last = any_message(in_, memory_));
    send(packer_.close(in_.byte() % 4));
    if (last.kind == wire::message_kind::piece)
      send(std::vector<std::byte>(wire::round_up_to_step(last.bytes)));
  }
  void request() {
    if (channel_.credits.free() == 0) return;
    channel_.credits.take();
    channel_.send(am_test::silent, in_.byte(), 0, 0, 0);
  }
  [[nodiscard]] std::ptrdiff_t puts_under_way() const {
    return std::ranges::count(puts_, seam::transfer_status::under_way, &seam::transfer::status);
  }
  void put() {
    static std::vector<std::byte> data(arena_bytes);
    if (puts_under_way() == 2 || channel_.credits.free() == 0) return;
    seam::transfer& one = puts_[puts_[0].status == seam::transfer_status::under_way ? 1 : 0];
    const std::uint8_t how = in_.byte();
    channel_.credits.take();
    one = {nullptr, data.data(), 1 + in_.number() % arena_bytes, am_test::silent};
    one.source_stable = how % 2 != 0;
    one.at_once = how % 16 == 2;
    // Few unstable bytes are read in the call, as the program would.
    const bool may_be_unreadable = one.source_stable || one.bytes > wire::most_eager_bytes;
    if (may_be_unreadable && how % 8 >= 6)
      one.here = reinterpret_cast<void*>(std::uintptr_t{1} << 20);
    const seam::transfer_status begun = channel_.put(one);
    if (begun == seam::transfer_status::under_way) return;
    one.status = seam::transfer_status::done;  // no component uses it any more
    if (begun != seam::transfer_status::done) channel_.credits.put_back();
  }
  void request_with_room() {
    if (channel_.credits.free() == 0) return;
    channel_.credits.take();
    const am_word words[AM_WORDS] = {in_.byte()};
    if (channel_.send_with_room(am_test::silent, words, nullptr, 0, {0, in_.byte() * 64U}) != AM_OK)
      channel_.credits.put_back();
  }

  input_reader& in_;
  am_test::simulated_boot boot_{0, 2};
  base::settings settings_ = few_credits();
  am_test::recorder seen_;
  checking_manager manager_;
  tcp::peers peers_{{0, 2, settings_, boot_, seen_}};
  tcp::channel channel_;
  base::fd far_;
  wire::packer packer_;
  am_test::fuzz::arena memory_{arena_bytes};
  std::array<seam::transfer, 2> puts_ = {seam::transfer{.status = seam::transfer_status::done},
                                         seam::transfer{.status = seam::transfer_status::done}};
};

}  // namespace

AM_FUZZ_TARGET(tcp_frames) {
  input_reader in(input);
  session(in).run();
}
