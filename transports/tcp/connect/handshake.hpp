// The handshake before the first frame, at both ends; it never waits:
//
//   connector                        listener
//   hello{from, to, number}    ->
//                              <-    answer{number, proof}
//   proof                      ->
//                              <-    verdict
//
// Until the verdict a connection carries no frames, so one of two that cross can be dropped
// without loss: the listener alone decides.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/connect/key_exchange.hpp>
#include <transports/tcp/connect/proof.hpp>
#include <transports/tcp/link/tcp_link.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace am::detail::tcp {

enum class verdict : std::uint8_t {
  welcome = 1,
  crossed,  // the listener has a connection or is making one, which is used
  lost      // the pair has lost its connection, for good
};

// What a rank brings to a handshake.
struct identity {
  const seam::job_secret& secret;
  am_rank rank;
  am_rank ranks;
  bool encrypts;  // all ranks do, or none: the job's key store shows it
};

// The state of a handshake. Failed: why() has the reason.
enum class handshake_state { in_progress, proven, failed };

// The part of both ends: messages of known length that may arrive in pieces. After a long
// computation a rank has not read its sockets yet: a handshake with has_socket_event() is not late.
class handshake {
 public:
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] base::fd take_socket() noexcept { return std::move(socket_); }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  // It has failed because the other end has closed the connection.
  [[nodiscard]] bool is_closed_by_peer() const noexcept { return closed_by_peer_; }
  // A part of a message has come; a rank sends each message at once.
  [[nodiscard]] bool has_partial_message() const noexcept { return count_ != 0; }

 protected:
  handshake(base::fd socket, const identity& me) noexcept : me_(me), socket_(std::move(socket)) {}

  // A nonce: a public key, if the connection will be encrypted.
  nonce fresh_number() noexcept;
  // The link, when both ends have sent all messages.
  tcp_link make_link(side mine, const hello& first, const nonce& answer);

  // True when `bytes` bytes are at the start of received_; clear_received() drops them.
  bool receive(std::size_t bytes);
  void clear_received() noexcept { count_ = 0; }
  // Few bytes, which a fresh socket takes at once.
  bool send(std::span<const std::byte> bytes);
  // Does the socket have this event (POLLIN, POLLOUT), which advance() has not handled?
  [[nodiscard]] bool is_ready(short which) const noexcept;
  bool fail(std::string why);
  // The same, because the other end has closed the connection.
  bool fail_closed_by_peer(std::string why);
  [[nodiscard]] bool failed() const noexcept { return !why_.empty(); }

  const identity& me_;
  std::array<std::byte, 64> received_{};

 private:
  base::fd socket_;
  private_key private_key_{};  // of the nonce, if it is a public key
  std::size_t count_ = 0;
  bool closed_by_peer_ = false;
  std::string why_;
};

// At the end that connects. Proven: received_verdict() is valid.
class connector_handshake : public handshake {
 public:
  // `socket` is connecting.
  connector_handshake(base::fd socket, const identity& me, am_rank peer) noexcept;

  // Call it when the socket may have an event.
  handshake_state advance();
  [[nodiscard]] verdict received_verdict() const noexcept { return verdict_; }
  // After a welcome. Throws std::bad_alloc.
  tcp_link take_link() { return make_link(side::connector, hello_, answer_); }
  // The process that listens there does not know the job's secret.
  [[nodiscard]] bool is_stranger() const noexcept { return is_stranger_; }
  // The socket is not connected yet; it becomes writable when it is.
  [[nodiscard]] bool is_connecting() const noexcept { return step_ == step::connecting; }
  // Both ends have sent their proofs.
  [[nodiscard]] bool awaits_verdict() const noexcept { return step_ == step::awaits_verdict; }
  [[nodiscard]] bool has_socket_event() const noexcept;

 private:
  enum class step { connecting, awaits_answer, awaits_verdict };

  bool finish_connect();
  bool check_answer();

  const hello hello_;
  nonce answer_{};
  step step_ = step::connecting;
  verdict verdict_ = verdict::welcome;
  bool is_stranger_ = false;
};

// At the end that listens. Proven: the peer is the rank that it claims to be, and send_verdict() is
// due.
class listener_handshake : public handshake {
 public:
  listener_handshake(base::fd socket, const identity& me) noexcept
      : handshake(std::move(socket), me) {}

  handshake_state advance();
  [[nodiscard]] bool has_socket_event() const noexcept;
  [[nodiscard]] am_rank peer() const noexcept { return hello_.from; }
  // False: the peer has closed the connection.
  bool send_verdict(verdict what);
  // After a welcome. Throws std::bad_alloc.
  tcp_link take_link() { return make_link(side::listener, hello_, number_); }

 private:
  enum class step { awaits_hello, awaits_proof };

  bool check_hello();
  bool check_proof();
  bool check_still_connected();

  hello hello_{};
  nonce number_{};
  step step_ = step::awaits_hello;
};

}  // namespace am::detail::tcp
