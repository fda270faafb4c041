// What the ranks of one host exchange while they join, over an abstract socket. The first of them
// gives each other one the memory of the host and its id, a wake-up socket that it has made, and
// every rank's pidfd, by which the others detect its death. A rank that gets these has proved to be
// of the same user and to know the job's secret; the first rank has proved to be of the same user.
#pragma once

#include <am/types.h>
#include <libam/base/abstract_socket.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/random.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/seam/boot.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace am::detail::pmix {

// What a rank shows all others of its host at any time, in memory that they share apart from the
// job's. A cache line each, because some wait for it.
struct rank_entry {
  alignas(64) std::atomic<std::uint32_t> left;  // not 0: in good order, so its process may end
  std::atomic<std::uint32_t> dead;              // not 0: a rank has detected its death
  std::atomic<std::uint64_t> fences;            // of node_fence: the number it has arrived at
  std::atomic<base::wakeup::name> wakeup;       // of node_fence
};

// What one rank of a node has received.
struct node_resources {
  base::fd memory;                              // the job's, on this host
  std::uint64_t host_id = base::random_word();  // of the memory; without it, of this rank alone
  base::fd wakeup;                              // for seam::boot::wakeup_socket
  base::shared_memory rank_table;               // rank_entry by local rank
  std::vector<base::fd> pidfds;                 // by local rank; invalid: not received
  [[nodiscard]] rank_entry& entry_of(std::size_t local_rank) const noexcept {
    return reinterpret_cast<rank_entry*>(rank_table.data())[local_rank];
  }
};

// The socket of the first rank; the others need its name.
class node_listener {
 public:
  static am_status listen(node_listener& made);
  [[nodiscard]] base::socket_name name() const noexcept { return name_; }
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }

 private:
  base::fd socket_;
  base::socket_name name_ = base::no_socket;
};

struct node_group {
  const std::vector<am_rank>& ranks;  // of this host
  am_rank self;
  const seam::job_secret& secret;
  bool exchanges_pidfds;
};

// The place of `rank` in `ranks`, which are sorted; their number if it is none of them.
std::size_t local_rank_of(const std::vector<am_rank>& ranks, am_rank rank) noexcept;

// For the first rank, and for each other one. False and one line: there is nothing to share.
bool serve_node_group(const node_listener& listener, const node_group& group,
                      const std::string& folder, node_resources& resources, std::string& why);
bool join_node_group(base::socket_name listener_name, const node_group& group,
                     node_resources& resources, std::string& why);

}  // namespace am::detail::pmix
