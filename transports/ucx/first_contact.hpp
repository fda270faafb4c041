// First contact, from both sides: this rank calls a peer and says hello, or is greeted and answers.
#pragma once

#include <libam/seam/transport.hpp>
#include <transports/ucx/announced_segments.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/contact.hpp>
#include <transports/ucx/lost_peers.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace am::detail::ucx {

class first_contact {
 public:
  // Whoever is greeted hears of these segments, or that the pair is among those lost.
  first_contact(const seam::host& host, engine& ucx, peers& all, channel_keeper& keeper,
                announced_segments& segments, lost_peers& lost);

  // How this rank is reached.
  [[nodiscard]] std::vector<std::byte> address() const { return own_.encode(); }
  // The channel to `peer`, which has been reached out to and greeted; null and one line if it
  // cannot be, or is lost.
  channel* call(am_rank peer, std::span<const std::byte> address, std::string& why);

  // A hello has come.
  void is_greeted(am_rank by, std::span<const std::byte> contact);
  [[nodiscard]] bool has_greetings() const noexcept { return !greetings_.empty(); }
  void answer();

 private:
  struct greeting {
    am_rank from;
    std::vector<std::byte> contact;
  };

  channel& channel_to(am_rank peer);
  bool reach_out(channel& to, const contact& theirs, std::string& why);

  const seam::host host_;
  engine& ucx_;
  peers& peers_;
  channel_keeper& keeper_;
  announced_segments& segments_;
  lost_peers& lost_;
  const contact own_;
  std::vector<greeting> greetings_;
};

}  // namespace am::detail::ucx
