// Memory that other ranks write and read through UCX without this rank's help: this rank's own
// segments, and those of a peer.
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

// The segments of this rank: in memory that UCX has allocated, so that its shared-memory transports
// can be used; or in other memory that is registered with it. One that is freed stays mapped until
// every peer that knows it has forgotten it: nothing else may be mapped at its address while a peer
// has a key to it.
class own_segments {
 public:
  explicit own_segments(ucp_context_h of) noexcept : context_(of) {}
  ~own_segments() { clear(); }
  own_segments(const own_segments&) = delete;
  own_segments& operator=(const own_segments&) = delete;

  // Null and UCX's own line: there is no memory.
  void* make(std::size_t bytes, std::string& why);
  // False and UCX's own line: peers cannot reach that memory through UCX.
  bool register_memory(void* address, std::size_t bytes, std::string& why);
  // It is unmapped when these peers have forgotten it.
  void retire(const void* address, std::set<am_rank> key_holders) noexcept;
  void on_forgotten(std::span<const std::byte> announcement, am_rank by) noexcept;
  void forget_peer(am_rank peer) noexcept;
  [[nodiscard]] bool is_allocated(const void* address) const noexcept {
    return has(address, false);
  }
  [[nodiscard]] bool is_registered(const void* address) const noexcept {
    return has(address, true);
  }
  // A registered one is mapped there; also if it is retired.
  [[nodiscard]] bool is_reachable(const void* address) const noexcept;
  void clear() noexcept;

  // Visits what a peer's remote_segments needs to reach each segment.
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
    bool registered;
    bool retired = false;
    std::set<am_rank> key_holders;  // once it is retired
  };
  using segments = std::map<std::uint64_t, segment>;  // by number: none is used twice

  // The one that is not retired.
  [[nodiscard]] segments::const_iterator find(const void* address) const noexcept;
  [[nodiscard]] bool has(const void* address, bool registered) const noexcept {
    const auto found = find(address);
    return found != all_.end() && found->second.registered == registered;
  }
  void* map(const ucp_mem_map_params_t& how, std::size_t bytes, std::string& why);
  segments::iterator unmap(segments::iterator of) noexcept;

  const ucp_context_h context_;
  segments all_;
  std::uint64_t next_ = 0;
};

// The segments that one peer has announced. A key is unpacked when it is first used: by then the
// peer has withdrawn what it has freed meanwhile, of which no key could be made any more.
class remote_segments {
 public:
  // False: the announcement is invalid.
  bool learn(std::span<const std::byte> announcement);
  void forget(std::span<const std::byte> announcement) noexcept;

  // The key to [where, where + bytes) for this endpoint; null: not all of it is in one segment that
  // is known and can be reached.
  [[nodiscard]] ucp_rkey_h key_to(const void* where, std::size_t bytes, ucp_ep_h ep) noexcept;
  void clear() noexcept { all_.clear(); }

 private:
  struct destroy {
    void operator()(ucp_rkey_h key) const noexcept { ucp_rkey_destroy(key); }
  };
  struct segment {
    std::uint64_t number;
    std::uint64_t bytes;
    std::vector<std::byte> packed;  // the key; empty: it is unpacked
    std::unique_ptr<ucp_rkey, destroy> key;
  };

  std::map<std::uint64_t, segment> all_;  // by address
};

}  // namespace am::detail::ucx
