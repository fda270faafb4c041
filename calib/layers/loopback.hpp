// A connection over the loopback interface, both ends of it, for layers that two processes of one
// pair play over sockets: made before they part.
#pragma once

#include <calib/program/script.hpp>

#include <cstddef>

namespace calib {

struct connection {
  int asking;
  int answering;

  [[nodiscard]] int end_of(side mine) const noexcept {
    return mine == side::asking ? asking : answering;
  }
};

// Small messages leave at once. The system has buffers of so many bytes for each end and direction;
// 0: as it likes. Ends the process if there is none to be had.
connection connect_here(int buffers = 0);

// Waits until all of it has been taken from here.
void send_all(int to, const void* from, std::size_t bytes);
// A few bytes and what follows them, in one call as far as the system takes it.
void send_both(int to, const void* front, std::size_t front_bytes, const std::byte* rest,
               std::size_t bytes);

enum class waiting { spinning, blocking };

// Waits until there is something, and takes as much as there is; at most `most`.
std::size_t receive_some(int from, void* to, std::size_t most, waiting how);

// Exactly so much.
void receive_all(int from, void* to, std::size_t bytes, waiting how);

}  // namespace calib
