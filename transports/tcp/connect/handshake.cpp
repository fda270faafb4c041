#include <transports/tcp/connect/handshake.hpp>

#include <libam/base/error.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

constexpr std::size_t answer_bytes = sizeof(nonce) + sizeof(proof);

template <std::size_t Bytes>
std::array<std::byte, Bytes> copy_of(std::span<const std::byte> from) noexcept {
  std::array<std::byte, Bytes> copy;
  std::copy_n(from.begin(), Bytes, copy.begin());
  return copy;
}

}  // namespace

// ---- both ---------------------------------------------------------------------------------------

bool handshake::fail(std::string why) {
  why_ = std::move(why);
  return false;
}

bool handshake::fail_closed_by_peer(std::string why) {
  closed_by_peer_ = true;
  return fail(std::move(why));
}

bool handshake::receive(std::size_t bytes) {
  while (count_ < bytes) {
    const ssize_t got =
        ::recv(socket_.get(), received_.data() + count_, bytes - count_, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
    if (got <= 0)
      return fail_closed_by_peer(got == 0 ? "it has closed the connection"
                                          : base::errno_text(errno));
    count_ += static_cast<std::size_t>(got);
  }
  return true;
}

bool handshake::send(std::span<const std::byte> bytes) {
  const ssize_t sent =
      ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(bytes.size()) ||
         fail(base::errno_text(sent < 0 ? errno : EAGAIN));
}

bool handshake::is_ready(short which) const noexcept {
  return base::ready_now(socket_.get(), which) != 0;
}

nonce handshake::fresh_number() noexcept {
  return me_.encrypts ? fresh_public_key(private_key_) : fresh_nonce();
}

tcp_link handshake::make_link(side mine, const hello& first, const nonce& answer) {
  if (!me_.encrypts) return tcp_link(take_socket());
  return {take_socket(), derive_keys(me_.secret, mine, first, answer, private_key_)};
}

// ---- the end that connects ----------------------------------------------------------------------

connector_handshake::connector_handshake(base::fd socket, const identity& me, am_rank peer) noexcept
    : handshake(std::move(socket), me), hello_{me.rank, peer, fresh_number()} {}

bool connector_handshake::has_socket_event() const noexcept {
  return is_ready(is_connecting() ? POLLOUT : POLLIN);
}

handshake_state connector_handshake::advance() {
  if (step_ == step::connecting && finish_connect() && send(encode(hello_)))
    step_ = step::awaits_answer;
  if (step_ == step::awaits_answer && receive(answer_bytes) && check_answer()) {
    clear_received();
    step_ = step::awaits_verdict;
  }
  if (step_ == step::awaits_verdict && receive(1)) {
    verdict_ = verdict{static_cast<std::uint8_t>(received_[0])};
    if (verdict_ >= verdict::welcome && verdict_ <= verdict::lost) return handshake_state::proven;
    fail(base::format("its verdict is {}", static_cast<unsigned>(verdict_)));
  }
  return failed() ? handshake_state::failed : handshake_state::in_progress;
}

bool connector_handshake::finish_connect() {
  if (base::ready_now(socket(), POLLOUT) == 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 || fail(base::errno_text(error));
}

bool connector_handshake::check_answer() {
  answer_ = copy_of<sizeof(nonce)>(received_);
  const auto shown = copy_of<sizeof(proof)>(std::span(received_).subspan(sizeof(nonce)));
  if (equal_constant_time(shown, prove(me_.secret, side::listener, hello_, answer_)))
    return send(prove(me_.secret, side::connector, hello_, answer_));
  is_stranger_ = true;
  return fail("the process that listens there does not know the job's secret");
}

// ---- the end that listens -----------------------------------------------------------------------

bool listener_handshake::has_socket_event() const noexcept { return is_ready(POLLIN); }

handshake_state listener_handshake::advance() {
  if (step_ == step::awaits_hello && receive(hello_bytes) && check_hello()) {
    clear_received();
    step_ = step::awaits_proof;
  }
  if (step_ == step::awaits_proof && receive(sizeof(proof)) && check_proof() &&
      check_still_connected())
    return handshake_state::proven;
  return failed() ? handshake_state::failed : handshake_state::in_progress;
}

bool listener_handshake::check_hello() {
  const auto received_hello = decode(std::span(received_).first<hello_bytes>());
  if (!received_hello)
    return fail("it does not speak libam's protocol, or speaks another version of it");
  if (received_hello->to != me_.rank)
    return fail(base::format("it asks for rank {}, and this is {}", received_hello->to, me_.rank));
  if (received_hello->from >= me_.ranks || received_hello->from == me_.rank)
    return fail(base::format("it says it is rank {} of {}, towards {}", received_hello->from,
                             me_.ranks, me_.rank));
  hello_ = *received_hello;
  number_ = fresh_number();
  const proof shown = prove(me_.secret, side::listener, hello_, number_);
  std::array<std::byte, answer_bytes> answer;
  std::copy(number_.begin(), number_.end(), answer.begin());
  std::copy(shown.begin(), shown.end(), answer.begin() + sizeof(nonce));
  return send(answer);
}

bool listener_handshake::check_proof() {
  return equal_constant_time(copy_of<sizeof(proof)>(received_),
                             prove(me_.secret, side::connector, hello_, number_)) ||
         fail(
             base::format("it says it is rank {} and does not know the job's secret", hello_.from));
}

// Before the verdict a rank sends nothing more. One that has given up makes another attempt, and
// would find the pair lost if this one had become the connection.
bool listener_handshake::check_still_connected() {
  return !is_ready(POLLIN) || fail_closed_by_peer("it has closed the connection");
}

bool listener_handshake::send_verdict(verdict what) {
  const std::byte byte{static_cast<std::uint8_t>(what)};
  return send(std::span(&byte, 1));
}

}  // namespace am::detail::tcp
