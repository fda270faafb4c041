// X25519, and BLAKE2b over its result, keyed with the job's secret: a session key needs both.
#include <transports/tcp/connect/key_exchange.hpp>

#include <transports/tcp/link/raw.hpp>

#include <sodium.h>

#include <algorithm>
#include <cstring>

namespace am::detail::tcp {

namespace {

static_assert(sizeof(nonce) == crypto_scalarmult_BYTES);
static_assert(sizeof(private_key) == crypto_scalarmult_SCALARBYTES);
static_assert(sizeof(key) == crypto_generichash_BYTES);

// Proofs are hashes over the same data that begin with other bytes (enum side).
enum class direction : std::uint8_t { to_listener = 3, to_connector };

}  // namespace

nonce fresh_public_key(private_key& own_key) noexcept {
  ::randombytes_buf(own_key.data(), own_key.size());
  nonce number;
  (void)::crypto_scalarmult_base(raw(number.data()), raw(own_key.data()));
  return number;
}

session_keys derive_keys(const seam::job_secret& secret, side me, const hello& first,
                         const nonce& answer, private_key& own_key) noexcept {
  const auto encoded_hello = encode(first);
  const nonce& peer_key = me == side::connector ? answer : first.number;
  constexpr std::size_t hello_at = 1;
  constexpr std::size_t answer_at = hello_at + hello_bytes;
  constexpr std::size_t shared_at = answer_at + sizeof(nonce);
  std::array<std::byte, shared_at + crypto_scalarmult_BYTES> hash_input{};
  std::ranges::copy(encoded_hello, hash_input.begin() + hello_at);
  std::ranges::copy(answer, hash_input.begin() + answer_at);
  // A nonce that is no valid key leaves zeros here. No rank sends one, and the secret still counts.
  if (::crypto_scalarmult(raw(hash_input.data()) + shared_at, raw(own_key.data()),
                          raw(peer_key.data())) != 0)
    std::fill(hash_input.begin() + shared_at, hash_input.end(), std::byte{0});
  const auto make = [&](direction which, key& one) {
    hash_input[0] = static_cast<std::byte>(which);
    ::crypto_generichash(raw(one.data()), one.size(), raw(hash_input.data()), hash_input.size(),
                         raw(secret.data()), secret.size());
  };
  session_keys keys;
  make(direction::to_listener, me == side::connector ? keys.sending : keys.receiving);
  make(direction::to_connector, me == side::connector ? keys.receiving : keys.sending);
  ::sodium_memzero(hash_input.data(), hash_input.size());
  ::sodium_memzero(own_key.data(), own_key.size());
  return keys;
}

}  // namespace am::detail::tcp
