// AM_TCP_NET: which networks and interfaces may be used, by name or all but those that are named.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::base {

class networks {
 public:
  // No wish: everything is allowed.
  networks() = default;

  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Something is named that is wanted, not only what is not.
  [[nodiscard]] bool names_some() const noexcept;
  // Is this address, of 4 or 16 bytes as they go over the wire, allowed at this interface? An
  // interface that has a label ("eth0:1") goes by its own name, too.
  [[nodiscard]] bool allows(std::string_view interface,
                            std::span<const std::byte> host) const noexcept;

 private:
  friend bool read_networks(std::string_view list, networks& out);

  // An interface if it has a name, else a network: the first `bits` of `host`.
  struct rule {
    bool excludes = false;
    std::string interface;
    std::array<std::byte, 16> host{};
    std::size_t host_bytes = 0;
    std::size_t bits = 0;
  };
  static bool read_rule(std::string_view item, rule& out);
  static bool meets(const rule& one, std::string_view interface,
                    std::span<const std::byte> host) noexcept;

  std::string text_;
  std::vector<rule> rules_;
};

inline constexpr std::string_view networks_range =
    "a list of networks (10.0.0.0/8, fd00::/8), addresses and interfaces (eth0), ^ excludes";

// "192.168.0.0/16,^docker0". False: it is no such list.
bool read_networks(std::string_view list, networks& out);

}  // namespace am::detail::base
