// The communicators of a process: which process a rank of each is, and a number by which all
// members know it. The number needs no message: members make a communicator from the same one, as
// its n-th child, or from the same groups.
#pragma once

#include <mpidial/handle_table.hpp>
#include <mpidial/mpi.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace am::detail::mpidial {

struct communicator {
  std::uint64_t id;
  std::uint32_t children = 0;  // so many have been made from it by all its members
  int size = 0;                // how many processes a collective call of it takes
  // By rank, of the other group where there are two: the rank in MPI_COMM_WORLD; -1: in another
  // job.
  std::vector<int> peers{};
};

class communicators {
 public:
  // MPI_COMM_WORLD and MPI_COMM_SELF.
  void begin();

  // Null: it was made by a call that is not known here. Its messages are not dialled.
  [[nodiscard]] communicator* find(MPI_Comm handle) noexcept {
    const std::uint64_t key = key_of(handle);
    if (key != last_key_) {
      std::shared_ptr<communicator>* const found = all_.find(key);
      if (found == nullptr) return nullptr;
      last_key_ = key;
      last_ = found->get();
    }
    return last_;
  }

  // The number of the next child of `parent`, for a call that all its members make.
  [[nodiscard]] std::uint64_t next_child(MPI_Comm parent) noexcept;
  // The same for a call that only the members of `made` make; `what` tells them the same.
  [[nodiscard]] std::uint64_t next_among(MPI_Comm made, std::uint64_t what);

  void add(MPI_Comm made, std::uint64_t id);
  // Requests that have not ended may outlive the handle; `idle`: there are none.
  void remove(MPI_Comm handle, bool idle);

 private:
  std::vector<int> world_ranks(MPI_Group group) const;
  std::vector<int> members_of(MPI_Comm handle, bool remote) const;

  handle_table<std::shared_ptr<communicator>> all_;
  std::vector<std::shared_ptr<communicator>> removed_;
  std::map<std::uint64_t, std::uint32_t> among_;
  std::uint64_t last_key_ = 0;
  communicator* last_ = nullptr;
};

}  // namespace am::detail::mpidial
