// Silent peers must not spin on the cores that are measured: they sleep in a read of a socket that
// rank 0 closes at the end (or when it dies).
#pragma once

#include <am/am.hpp>

#include <string>
#include <vector>

namespace calib {

class sleeping_peers {
 public:
  // Collective. Rank 0 listens; the others connect.
  explicit sleeping_peers(am::endpoint& ep);
  ~sleeping_peers();
  sleeping_peers(const sleeping_peers&) = delete;
  sleeping_peers& operator=(const sleeping_peers&) = delete;

  void sleep();              // peers: until rank 0 wakes all
  void wait_until_asleep();  // rank 0: until all are asleep
  void wake();               // rank 0

 private:
  am::rank_id peers_;
  int socket_ = -1;
  std::vector<int> connections_;
};

}  // namespace calib
