// Memory that others write and read through UCX without this rank's help, and theirs.
#pragma once

#include <transports/ucx/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace am::detail::ucx {

// Of this rank: in memory of UCX's own, so that its shared-memory ways are open; or in another's,
// which UCX only gets to know. One that is freed is reached until every peer that was told of it
// has forgotten it: nothing else may stand at its address while somebody has a key to it.
class own_segments {
 public:
  explicit own_segments(ucp_context_h of) noexcept : context_(of) {}
  ~own_segments() { clear(); }
  own_segments(const own_segments&) = delete;
  own_segments& operator=(const own_segments&) = delete;

  // Null and UCX's own line: there is no more.
  void* make(std::size_t bytes, std::string& why);
  // False and UCX's own line: peers do not reach that by UCX.
  bool adopt(void* address, std::size_t bytes, std::string& why);
  // When these peers have forgotten it, it goes.
  void retire(const void* address, std::set<am_rank> knowing) noexcept;
  void is_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept;
  void forget_peer(am_rank peer) noexcept;
  [[nodiscard]] bool has_made(const void* address) const noexcept { return has(address, false); }
  [[nodiscard]] bool has_adopted(const void* address) const noexcept { return has(address, true); }
  // One that was adopted; also if it is retired.
  [[nodiscard]] bool is_reached(const void* address) const noexcept;
  void clear() noexcept;

  // What a peer needs to reach one: for its remote_segments.
  template <class Visit>
  void each_announcement(Visit&& visit) const {
    for (const auto& [number, one] : all_)
      if (!one.retired) visit(std::span<const std::byte>(one.announcement));
  }
  [[nodiscard]] std::span<const std::byte> announcement(const void* address) const {
    return find(address)->second.announcement;
  }

 private:
  struct segment {
    ucp_mem_h handle;
    const void* address;
    std::vector<std::byte> announcement;
    bool adopted;
    bool retired = false;
    std::set<am_rank> knowing;  // once it is retired
  };
  using segments = std::map<std::uint64_t, segment>;  // by number: none is used twice

  // The one that is not retired.
  [[nodiscard]] segments::const_iterator find(const void* address) const noexcept;
  [[nodiscard]] bool has(const void* address, bool adopted) const noexcept {
    const auto found = find(address);
    return found != all_.end() && found->second.adopted == adopted;
  }
  void* map(const ucp_mem_map_params_t& how, std::size_t bytes, std::string& why);
  segments::iterator let_go(segments::iterator of) noexcept;

  const ucp_context_h context_;
  segments all_;
  std::uint64_t next_ = 0;
};

// Of one peer, as far as it has told. A key is taken out of an announcement when it is first used:
// by then the peer has taken back what it announced and freed meanwhile, of which no key could be
// made any more.
class remote_segments {
 public:
  // False: the announcement makes no sense.
  bool learn(std::span<const std::byte> announcement);
  void forget(std::span<const std::byte> announcement) noexcept;

  // The key to [where, where + bytes) for this way; null: not all of it is in one segment that is
  // known and can be reached.
  [[nodiscard]] ucp_rkey_h key_to(const void* where, std::size_t bytes, ucp_ep_h way) noexcept;
  void clear() noexcept { all_.clear(); }

 private:
  struct destroy {
    void operator()(ucp_rkey_h key) const noexcept { ucp_rkey_destroy(key); }
  };
  struct segment {
    std::uint64_t number;
    std::uint64_t bytes;
    std::vector<std::byte> packed;  // the key; empty: it has been taken out
    std::unique_ptr<ucp_rkey, destroy> key;
  };

  std::map<std::uint64_t, segment> all_;  // by address
};

}  // namespace am::detail::ucx
