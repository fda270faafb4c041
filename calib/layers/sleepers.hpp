// Peers that are connected and silent must not spin on the cores that are measured: they sleep in a
// read of a socket that rank 0 closes when it is done (or dies).
#pragma once

#include <am/am.hpp>

#include <string>
#include <vector>

namespace calib {

class sleepers {
 public:
  // Collective. Rank 0 listens; the others learn where.
  explicit sleepers(am::endpoint& ep);
  ~sleepers();
  sleepers(const sleepers&) = delete;
  sleepers& operator=(const sleepers&) = delete;

  void sleep();  // peers: until rank 0 wakes all
  void await();  // rank 0: until all are asleep
  void wake();   // rank 0

 private:
  am::rank_id peers_;
  int door_ = -1;
  std::vector<int> beds_;
};

}  // namespace calib
