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

// Where a conversation stands. Failed: why() says it.
enum class stage { talking, proven, failed };

// What both ends have in common: bytes of known number that come in pieces.
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
  explicit talk(base::fd socket) noexcept : socket_(std::move(socket)) {}

  // True when `bytes` of them stand at the start of heard_; they are forgotten with hear_on().
  bool hear(std::size_t bytes);
  void hear_on() noexcept { count_ = 0; }
  // So little that a fresh socket takes it at once.
  bool say(std::span<const std::byte> bytes);
  bool fail(std::string why);
  [[nodiscard]] bool failed() const noexcept { return !why_.empty(); }

  std::array<std::byte, 64> heard_{};

 private:
  base::fd socket_;
  std::size_t count_ = 0;
  bool has_gone_ = false;
  std::string why_;
};

// At the end that connects. Proven: `said` is there.
class connector : public talk {
 public:
  // A socket whose connection is on its way.
  connector(base::fd socket, const seam::job_secret& secret, am_rank me, am_rank peer) noexcept;

  // When something may have happened at the socket.
  stage go();
  [[nodiscard]] verdict said() const noexcept { return said_; }
  // Whoever listens there does not know the job's secret.
  [[nodiscard]] bool is_stranger() const noexcept { return is_stranger_; }
  // The socket is not connected yet: it becomes writable when it is.
  [[nodiscard]] bool is_on_its_way() const noexcept { return at_ == step::connecting; }

 private:
  enum class step { connecting, awaits_answer, awaits_verdict };

  bool connected();
  bool check_answer();

  const seam::job_secret& secret_;
  const hello hello_;
  step at_ = step::connecting;
  verdict said_ = verdict::welcome;
  bool is_stranger_ = false;
};

// At the end that listens. Proven: `peer` is who it says, and say_verdict is due.
class visitor : public talk {
 public:
  visitor(base::fd socket, const seam::job_secret& secret, am_rank me, am_rank ranks) noexcept;

  stage go();
  [[nodiscard]] am_rank peer() const noexcept { return hello_.from; }
  // False: it has gone.
  bool say_verdict(verdict what);

 private:
  enum class step { awaits_hello, awaits_proof };

  bool check_hello();
  bool check_proof();

  const seam::job_secret& secret_;
  const am_rank me_;
  const am_rank ranks_;
  hello hello_{};
  nonce number_{};
  step at_ = step::awaits_hello;
};

}  // namespace am::detail::tcp
