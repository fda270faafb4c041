#include <libam/base/format.hpp>
#include <libam/base/ready_now.hpp>
#include <libam/base/why.hpp>
#include <transports/tcp/handshake.hpp>

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

bool talk::fail(std::string why) {
  why_ = std::move(why);
  return false;
}

bool talk::lose_it(std::string why) {
  has_gone_ = true;
  return fail(std::move(why));
}

bool talk::hear(std::size_t bytes) {
  while (count_ < bytes) {
    const ssize_t got = ::recv(socket_.get(), heard_.data() + count_, bytes - count_, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
    if (got <= 0) return lose_it(got == 0 ? "it has hung up" : base::why(errno));
    count_ += static_cast<std::size_t>(got);
  }
  return true;
}

bool talk::say(std::span<const std::byte> bytes) {
  const ssize_t sent =
      ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(bytes.size()) || fail(base::why(sent < 0 ? errno : EAGAIN));
}

bool talk::has_sign(short which) const noexcept {
  return base::ready_now(socket_.get(), which) != 0;
}

nonce talk::fresh_number() noexcept {
  return me_.encrypts ? fresh_public_key(half_) : fresh_nonce();
}

line talk::make_line(side mine, const hello& first, const nonce& answer) {
  if (!me_.encrypts) return line(take_socket());
  return {take_socket(), agree(me_.secret, mine, first, answer, half_)};
}

// ---- the end that connects ----------------------------------------------------------------------

connector::connector(base::fd socket, const identity& me, am_rank peer) noexcept
    : talk(std::move(socket), me), hello_{me.rank, peer, fresh_number()} {}

bool connector::waits_to_be_heard() const noexcept {
  return has_sign(is_on_its_way() ? POLLOUT : POLLIN);
}

stage connector::go() {
  if (at_ == step::connecting && connected() && say(encode(hello_))) at_ = step::awaits_answer;
  if (at_ == step::awaits_answer && hear(answer_bytes) && check_answer()) {
    hear_on();
    at_ = step::awaits_verdict;
  }
  if (at_ == step::awaits_verdict && hear(1)) {
    said_ = verdict{static_cast<std::uint8_t>(heard_[0])};
    if (said_ >= verdict::welcome && said_ <= verdict::lost) return stage::proven;
    fail(base::format("its verdict is {}", static_cast<unsigned>(said_)));
  }
  return failed() ? stage::failed : stage::talking;
}

bool connector::connected() {
  if (base::ready_now(socket(), POLLOUT) == 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 || fail(base::why(error));
}

bool connector::check_answer() {
  answer_ = copy_of<sizeof(nonce)>(heard_);
  const auto shown = copy_of<sizeof(proof)>(std::span(heard_).subspan(sizeof(nonce)));
  if (same(shown, prove(me_.secret, side::listener, hello_, answer_)))
    return say(prove(me_.secret, side::connector, hello_, answer_));
  is_stranger_ = true;
  return fail("whoever listens there does not know the job's secret");
}

// ---- the end that listens -----------------------------------------------------------------------

bool visitor::waits_to_be_heard() const noexcept { return has_sign(POLLIN); }

stage visitor::go() {
  if (at_ == step::awaits_hello && hear(hello_bytes) && check_hello()) {
    hear_on();
    at_ = step::awaits_proof;
  }
  if (at_ == step::awaits_proof && hear(sizeof(proof)) && check_proof() && still_waits())
    return stage::proven;
  return failed() ? stage::failed : stage::talking;
}

bool visitor::check_hello() {
  const auto said = decode(std::span(heard_).first<hello_bytes>());
  if (!said) return fail("it does not speak libam's protocol, or another version of it");
  if (said->to != me_.rank)
    return fail(base::format("it wants rank {}, and this is {}", said->to, me_.rank));
  if (said->from >= me_.ranks || said->from == me_.rank)
    return fail(
        base::format("it says it is rank {} of {}, towards {}", said->from, me_.ranks, me_.rank));
  hello_ = *said;
  number_ = fresh_number();
  const proof shown = prove(me_.secret, side::listener, hello_, number_);
  std::array<std::byte, answer_bytes> answer;
  std::copy(number_.begin(), number_.end(), answer.begin());
  std::copy(shown.begin(), shown.end(), answer.begin() + sizeof(nonce));
  return say(answer);
}

bool visitor::check_proof() {
  return same(copy_of<sizeof(proof)>(heard_),
              prove(me_.secret, side::connector, hello_, number_)) ||
         fail(
             base::format("it says it is rank {} and does not know the job's secret", hello_.from));
}

// Before the verdict a rank says nothing more. One that has given up makes another call, and would
// find the pair lost if this one had become the connection.
bool visitor::still_waits() { return !has_sign(POLLIN) || lose_it("it has hung up"); }

bool visitor::say_verdict(verdict what) {
  const std::byte byte{static_cast<std::uint8_t>(what)};
  return say(std::span(&byte, 1));
}

}  // namespace am::detail::tcp
