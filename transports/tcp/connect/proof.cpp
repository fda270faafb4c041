#include <transports/tcp/connect/proof.hpp>

#include <libam/wire/little_endian.hpp>
#include <transports/tcp/link/raw.hpp>

#include <sodium.h>

#include <cstring>

namespace am::detail::tcp {

namespace {

constexpr char magic[] = "am-tcp 1";  // 1: the version of proof and frames
constexpr std::size_t magic_bytes = sizeof magic - 1;
static_assert(magic_bytes + 2 * sizeof(std::uint32_t) + sizeof(nonce) == hello_bytes);
static_assert(sizeof(seam::job_secret) >= crypto_generichash_KEYBYTES_MIN &&
              sizeof(seam::job_secret) <= crypto_generichash_KEYBYTES_MAX);
static_assert(sizeof(proof) == crypto_generichash_BYTES);

}  // namespace

std::array<std::byte, hello_bytes> encode(const hello& one) noexcept {
  std::array<std::byte, hello_bytes> bytes;
  std::memcpy(bytes.data(), magic, magic_bytes);
  wire::write_number(bytes.data() + magic_bytes, one.from);
  wire::write_number(bytes.data() + magic_bytes + 4, one.to);
  std::memcpy(bytes.data() + magic_bytes + 8, one.number.data(), sizeof one.number);
  return bytes;
}

std::optional<hello> decode(std::span<const std::byte, hello_bytes> bytes) noexcept {
  if (std::memcmp(bytes.data(), magic, magic_bytes) != 0) return std::nullopt;
  hello one{};
  one.from = wire::read_number<std::uint32_t>(bytes.data() + magic_bytes);
  one.to = wire::read_number<std::uint32_t>(bytes.data() + magic_bytes + 4);
  std::memcpy(one.number.data(), bytes.data() + magic_bytes + 8, sizeof one.number);
  return one;
}

bool init_sodium() noexcept { return ::sodium_init() >= 0; }

nonce fresh_nonce() noexcept {
  nonce number;
  ::randombytes_buf(number.data(), sizeof number);
  return number;
}

proof prove(const seam::job_secret& secret, side who, const hello& first,
            const nonce& answer) noexcept {
  const auto encoded_hello = encode(first);
  std::array<std::byte, 1 + hello_bytes + sizeof(nonce)> hash_input;
  hash_input[0] = static_cast<std::byte>(who);
  std::memcpy(hash_input.data() + 1, encoded_hello.data(), encoded_hello.size());
  std::memcpy(hash_input.data() + 1 + encoded_hello.size(), answer.data(), answer.size());
  proof shown;
  ::crypto_generichash(raw(shown.data()), shown.size(), raw(hash_input.data()), hash_input.size(),
                       raw(secret.data()), secret.size());
  return shown;
}

bool equal_constant_time(const proof& one, const proof& other) noexcept {
  return ::sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace am::detail::tcp
