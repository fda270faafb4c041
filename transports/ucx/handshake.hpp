// First contact, from both sides: this rank connects to a peer and sends a hello, or receives one
// and answers with a welcome.
#pragma once

#include <libam/seam/transport.hpp>
#include <transports/ucx/announced_segments.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/host_monitor.hpp>
#include <transports/ucx/lost_peers.hpp>
#include <transports/ucx/rank_address.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace am::detail::ucx {

class handshake {
 public:
  // A peer that sends a hello gets the announcements of `segments`; one whose pair is lost is added
  // to `lost`. `hosts` monitors those of the peers.
  handshake(const seam::transport_context& context, engine& ucx, peers& all_peers,
            channel_manager& manager, announced_segments& segments, lost_peers& lost,
            host_monitor& hosts);

  // For the job's key store.
  [[nodiscard]] std::vector<std::byte> address() const { return own_.encode(); }
  // The channel to `peer`, with an endpoint, after a hello was sent; null and one line if there is
  // no route, or the pair is lost.
  channel* connect(am_rank peer, std::span<const std::byte> address, std::string& why);

  // A hello has come.
  void on_hello(am_rank by, std::span<const std::byte> address);
  [[nodiscard]] bool has_hellos() const noexcept { return !hellos_.empty(); }
  void answer_hellos();

 private:
  struct pending_hello {
    am_rank from;
    std::vector<std::byte> address;
  };

  channel& channel_to(am_rank peer);
  bool create_endpoint(channel& to, const rank_address& theirs, std::string& why);

  const seam::transport_context context_;
  engine& ucx_;
  peers& peers_;
  channel_manager& manager_;
  announced_segments& segments_;
  lost_peers& lost_;
  host_monitor& hosts_;
  const rank_address own_;
  std::vector<pending_hello> hellos_;
};

}  // namespace am::detail::ucx
