// The conversation before the first frame, at both ends, without ever waiting:
//
//   connector                        listener
//   hello{from, to, number}    ->
//                              <-    answer{number, proof}
//   proof                      ->
//                              <-    verdict
//
// Until the verdict a connection carries no frames, so that of two connections that cross one can
// be dropped and nothing is lost with it: the listener alone decides.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/agreement.hpp>
#include <transports/tcp/line.hpp>
#include <transports/tcp/proof.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace am::detail::tcp {

enum class verdict : std::uint8_t {
  welcome = 1,
  crossed,  // the listener has a connection, or makes one at this moment: that is the one
  lost      // the pair has lost its connection, and stays so
};

// A rank of the job, as it comes to a conversation.
struct identity {
  const seam::job_secret& secret;
  am_rank rank;
  am_rank ranks;
  bool encrypts;  // all ranks do, or none: they have seen it on the blackboard
};

// Where a conversation stands. Failed: why() says it.
enum class stage { talking, proven, failed };

// What both ends have in common: bytes of known number that come in pieces. Who has computed for
// long is behind with what its sockets have to say: a talk that waits_to_be_heard() is not late.
class talk {
 public:
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] base::fd take_socket() noexcept { return std::move(socket_); }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  // That is why it has failed: the other end has closed the connection.
  [[nodiscard]] bool has_gone() const noexcept { return has_gone_; }
  // It has said a part of what it has to say, where a rank says all at once.
  [[nodiscard]] bool is_in_the_midst() const noexcept { return count_ != 0; }

 protected:
  talk(base::fd socket, const identity& me) noexcept : me_(me), socket_(std::move(socket)) {}

  // A number to say: a public key, if there will be records.
  nonce fresh_number() noexcept;
  // What the connection becomes of which both have said all.
  line make_line(side mine, const hello& first, const nonce& answer);

  // True when `bytes` of them stand at the start of heard_; they are forgotten with hear_on().
  bool hear(std::size_t bytes);
  void hear_on() noexcept { count_ = 0; }
  // So little that a fresh socket takes it at once.
  bool say(std::span<const std::byte> bytes);
  // What the socket has to say (POLLIN, POLLOUT) and go() has not seen.
  [[nodiscard]] bool has_sign(short which) const noexcept;
  bool fail(std::string why);
  // The same, for the other end has closed the connection.
  bool lose_it(std::string why);
  [[nodiscard]] bool failed() const noexcept { return !why_.empty(); }

  const identity& me_;
  std::array<std::byte, 64> heard_{};

 private:
  base::fd socket_;
  private_half half_{};  // of the number, if it is a key
  std::size_t count_ = 0;
  bool has_gone_ = false;
  std::string why_;
};

// At the end that connects. Proven: `said` is there.
class connector : public talk {
 public:
  // A socket whose connection is on its way.
  connector(base::fd socket, const identity& me, am_rank peer) noexcept;

  // When something may have happened at the socket.
  stage go();
  [[nodiscard]] verdict said() const noexcept { return said_; }
  // After a welcome. Throws std::bad_alloc.
  line take_line() { return make_line(side::connector, hello_, answer_); }
  // Whoever listens there does not know the job's secret.
  [[nodiscard]] bool is_stranger() const noexcept { return is_stranger_; }
  // The socket is not connected yet: it becomes writable when it is.
  [[nodiscard]] bool is_on_its_way() const noexcept { return at_ == step::connecting; }
  // Both ends have said their proofs.
  [[nodiscard]] bool awaits_verdict() const noexcept { return at_ == step::awaits_verdict; }
  [[nodiscard]] bool waits_to_be_heard() const noexcept;

 private:
  enum class step { connecting, awaits_answer, awaits_verdict };

  bool connected();
  bool check_answer();

  const hello hello_;
  nonce answer_{};
  step at_ = step::connecting;
  verdict said_ = verdict::welcome;
  bool is_stranger_ = false;
};

// At the end that listens. Proven: `peer` is who it says, and say_verdict is due.
class visitor : public talk {
 public:
  visitor(base::fd socket, const identity& me) noexcept : talk(std::move(socket), me) {}

  stage go();
  [[nodiscard]] bool waits_to_be_heard() const noexcept;
  [[nodiscard]] am_rank peer() const noexcept { return hello_.from; }
  // False: it has gone.
  bool say_verdict(verdict what);
  // After a welcome. Throws std::bad_alloc.
  line take_line() { return make_line(side::listener, hello_, number_); }

 private:
  enum class step { awaits_hello, awaits_proof };

  bool check_hello();
  bool check_proof();
  bool still_waits();

  hello hello_{};
  nonce number_{};
  step at_ = step::awaits_hello;
};

}  // namespace am::detail::tcp
