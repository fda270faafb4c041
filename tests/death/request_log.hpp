// The runs of handlers, in a file that all ranks map, so that those of a dead rank can be read; and
// the outcome of each request of this rank.
#pragma once

#include <am/am.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace am_test {

class request_log {
 public:
  static constexpr am::word most = 200000;  // requests from one rank to another

  struct outcome {
    unsigned char replied = 0;
    unsigned char returned = 0;
    bool unknown = false;
    bool asked = false;
  };

  // The file has ranks * ranks * most bytes, all zero.
  request_log(const char* path, am::rank_id rank, am::rank_id ranks)
      : rank_(rank), ranks_(ranks), outcomes_(ranks, std::vector<outcome>(most)), sent_(ranks) {
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    void* at = ::mmap(nullptr, ranks * ranks * most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || at == MAP_FAILED) std::abort();
    ::close(file);
    handled_ = static_cast<volatile unsigned char*>(at);
  }

  [[nodiscard]] am::rank_id ranks() const { return ranks_; }
  [[nodiscard]] am::word& sent(am::rank_id to) { return sent_[to]; }
  [[nodiscard]] outcome& own(am::rank_id to, am::word id) { return outcomes_[to].at(id); }

  // Counts that this rank handles a request of another; ran_at is the number of times another rank
  // has handled one of this rank.
  void count_handled(am::rank_id from, am::word id) {
    const std::size_t at = place(from, rank_, id);
    handled_[at] = static_cast<unsigned char>(handled_[at] + 1);
  }
  [[nodiscard]] unsigned ran_at(am::rank_id to, am::word id) const {
    return handled_[place(rank_, to, id)];
  }

 private:
  [[nodiscard]] std::size_t place(am::rank_id from, am::rank_id to, am::word id) const {
    return (std::size_t{from} * ranks_ + to) * most + id;
  }

  const am::rank_id rank_;
  const am::rank_id ranks_;
  std::vector<std::vector<outcome>> outcomes_;
  std::vector<am::word> sent_;
  volatile unsigned char* handled_ = nullptr;
};

}  // namespace am_test
