// AM_TCP_NET: the networks and interfaces that may be used: those that are named, or all but those.
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
  // No filter: everything is allowed.
  networks() = default;

  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Something is included by name, not only excluded.
  [[nodiscard]] bool has_inclusions() const noexcept;
  // Is this address, of 4 or 16 bytes in network byte order, allowed at this interface? An
  // interface with a label ("eth0:1") matches its own name, too.
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
  static bool matches(const rule& one, std::string_view interface,
                      std::span<const std::byte> host) noexcept;

  std::string text_;
  std::vector<rule> rules_;
};

inline constexpr std::string_view networks_range =
    "a list of networks (10.0.0.0/8, fd00::/8), addresses and interfaces (eth0), ^ excludes";

// "192.168.0.0/16,^docker0". False: `list` is not valid.
bool read_networks(std::string_view list, networks& out);

}  // namespace am::detail::base
