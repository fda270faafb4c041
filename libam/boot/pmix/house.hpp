// What the ranks of one host hand each other while they join, over a socket without a name in any
// folder: the first of them gives every other the memory of the host and a bell that it has made;
// and every rank's pidfd, by which the others will see that it has died. Who is given something has
// proved to be of the same user and to know the job's secret; and so has the giver.
#pragma once

#include <am/types.h>
#include <libam/base/abstract_socket.hpp>
#include <libam/base/bell.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/seam/boot.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace am::detail::pmix {

// What a rank tells all others of its host at any time, in memory that they share apart from the
// job's. A line each, because some wait for it.
struct entry {
  alignas(64) std::atomic<std::uint32_t> left;  // not 0: in good order, so its process may end
  std::atomic<std::uint32_t> dead;              // not 0: somebody has seen that
  std::atomic<std::uint64_t> fences;            // of a gathering: so many has it come to
  std::atomic<base::bell::name> bell;           // of a gathering
};

// What one rank of a house has got.
struct share {
  base::fd memory;               // the job's, on this host
  base::fd bell;                 // for seam::boot::bell_socket
  base::shared_memory roll;      // of entries, by place
  std::vector<base::fd> pidfds;  // by place; invalid: not told
  [[nodiscard]] entry& of(std::size_t place) const noexcept {
    return reinterpret_cast<entry*>(roll.data())[place];
  }
};

// The socket of the first rank; its name is what the others must be told.
class door {
 public:
  static am_status open(door& made);
  [[nodiscard]] base::socket_name name() const noexcept { return name_; }
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }

 private:
  base::fd socket_;
  base::socket_name name_ = base::no_socket;
};

struct household {
  const std::vector<am_rank>& ranks;  // of this host
  am_rank self;
  const seam::job_secret& secret;
  bool exchanges_pidfds;
};

// The first rank's side, and that of each other. False and one line: there is nothing to share.
bool hand_out(const door& at, const household& all, const std::string& folder, share& got,
              std::string& why);
bool ask_for(base::socket_name door_name, const household& all, share& got, std::string& why);

}  // namespace am::detail::pmix
