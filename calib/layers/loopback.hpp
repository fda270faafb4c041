// Both ends of a connection over the loopback interface, for layers over sockets: made before the
// two processes of a pair fork.
#pragma once

#include <calib/program/probe_runner.hpp>

#include <cstddef>

namespace calib {

struct connection {
  int requester;
  int responder;

  [[nodiscard]] int end_of(side mine) const noexcept {
    return mine == side::requester ? requester : responder;
  }
};

// With TCP_NODELAY. `buffers`: the bytes of the socket buffers per end and direction; 0: the
// system's default. Ends the process on failure.
connection connect_loopback(int buffers = 0);

// Before a socket connects or listens; 0: the system's default.
void set_buffers(int socket, int bytes);
void set_no_delay(int socket);

// Waits until the system has accepted all bytes.
void send_all(int to, const void* from, std::size_t bytes);
// The same for a header and its data, in one call unless the system accepts only a part.
void send_both(int to, const void* front, std::size_t front_bytes, const std::byte* rest,
               std::size_t bytes);

enum class wait_mode { spinning, blocking };

// Waits for data and receives what is available, at most `most`.
std::size_t receive_some(int from, void* to, std::size_t most, wait_mode how);

void receive_all(int from, void* to, std::size_t bytes, wait_mode how);

}  // namespace calib
