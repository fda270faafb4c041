#include <libam/base/networks.hpp>

#include <libam/base/text.hpp>

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>
#include <climits>

namespace am::detail::base {

namespace {

constexpr std::size_t bytes_of_four = sizeof(in_addr);
constexpr std::size_t bytes_of_six = sizeof(in6_addr);

// A name that Linux allows, without the characters that separate the parts of an item.
bool is_interface(std::string_view name) noexcept {
  const auto fits = [](char c) {
    return c > ' ' && c < '\x7f' && c != '/' && c != ':' && c != '^';
  };
  return !name.empty() && name.size() < IF_NAMESIZE && std::ranges::all_of(name, fits);
}

// Looks like an address: a mistyped address must not be taken for an interface.
bool is_numeric(std::string_view name) noexcept {
  return name.find(':') != std::string_view::npos ||
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool same_bits(std::span<const std::byte> one, std::span<const std::byte> other,
               std::size_t bits) noexcept {
  const std::size_t whole = bits / CHAR_BIT;
  if (!std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(whole), other.begin()))
    return false;
  const std::size_t rest = bits % CHAR_BIT;
  return rest == 0 || ((one[whole] ^ other[whole]) >> (CHAR_BIT - rest)) == std::byte{};
}

}  // namespace

bool networks::read_rule(std::string_view item, rule& out) {
  out.excludes = item.starts_with('^');
  if (out.excludes) item.remove_prefix(1);
  const std::size_t slash = item.find('/');
  const std::string name(item.substr(0, slash));
  if (slash == std::string_view::npos && !is_numeric(name)) {
    out.interface = name;
    return is_interface(name);
  }
  if (::inet_pton(AF_INET, name.c_str(), out.host.data()) == 1)
    out.host_bytes = bytes_of_four;
  else if (::inet_pton(AF_INET6, name.c_str(), out.host.data()) == 1)
    out.host_bytes = bytes_of_six;
  else
    return false;
  out.bits = out.host_bytes * CHAR_BIT;
  if (slash == std::string_view::npos) return true;
  const std::size_t most = out.bits;
  return read_number(item.substr(slash + 1), out.bits) && out.bits <= most;
}

bool networks::matches(const rule& one, std::string_view interface,
                       std::span<const std::byte> host) noexcept {
  if (!one.interface.empty()) return interface.substr(0, interface.find(':')) == one.interface;
  return host.size() == one.host_bytes && same_bits(host, one.host, one.bits);
}

bool networks::has_inclusions() const noexcept {
  return !std::ranges::all_of(rules_, &rule::excludes);
}

bool networks::allows(std::string_view interface, std::span<const std::byte> host) const noexcept {
  bool named = !has_inclusions();
  for (const rule& one : rules_) {
    if (!matches(one, interface, host)) continue;
    if (one.excludes) return false;
    named = true;
  }
  return named;
}

bool read_networks(std::string_view list, networks& out) {
  networks read;
  read.text_ = list;
  const bool good = all_items(list, [&](std::string_view item) {
    return networks::read_rule(item, read.rules_.emplace_back());
  });
  if (good) out = std::move(read);
  return good;
}

}  // namespace am::detail::base
