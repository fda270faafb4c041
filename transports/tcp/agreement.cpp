// X25519, and BLAKE2b over what comes of it: who knows only one of the secret and what the halves
// make together has no key.
#include <transports/tcp/agreement.hpp>
#include <transports/tcp/raw.hpp>

#include <sodium.h>

#include <algorithm>
#include <cstring>

namespace am::detail::tcp {

namespace {

static_assert(sizeof(nonce) == crypto_scalarmult_BYTES);
static_assert(sizeof(private_half) == crypto_scalarmult_SCALARBYTES);
static_assert(sizeof(key) == crypto_generichash_BYTES);

// Proofs are hashes that begin with other bytes.
enum class direction : std::uint8_t { to_listener = 3, to_connector };

}  // namespace

nonce fresh_public_key(private_half& half) noexcept {
  ::randombytes_buf(half.data(), half.size());
  nonce number;
  (void)::crypto_scalarmult_base(raw(number.data()), raw(half.data()));
  return number;
}

session_keys agree(const seam::job_secret& secret, side me, const hello& first, const nonce& answer,
                   private_half& half) noexcept {
  const auto said = encode(first);
  const nonce& theirs = me == side::connector ? answer : first.number;
  constexpr std::size_t hello_at = 1;
  constexpr std::size_t answer_at = hello_at + hello_bytes;
  constexpr std::size_t shared_at = answer_at + sizeof(nonce);
  std::array<std::byte, shared_at + crypto_scalarmult_BYTES> text{};
  std::ranges::copy(said, text.begin() + hello_at);
  std::ranges::copy(answer, text.begin() + answer_at);
  // A number that is no key leaves zeros here. No rank says such a one, and the secret still
  // counts.
  if (::crypto_scalarmult(raw(text.data()) + shared_at, raw(half.data()), raw(theirs.data())) != 0)
    std::fill(text.begin() + shared_at, text.end(), std::byte{0});
  const auto make = [&](direction which, key& one) {
    text[0] = static_cast<std::byte>(which);
    ::crypto_generichash(raw(one.data()), one.size(), raw(text.data()), text.size(),
                         raw(secret.data()), secret.size());
  };
  session_keys keys;
  make(direction::to_listener, me == side::connector ? keys.sending : keys.receiving);
  make(direction::to_connector, me == side::connector ? keys.receiving : keys.sending);
  ::sodium_memzero(text.data(), text.size());
  ::sodium_memzero(half.data(), half.size());
  return keys;
}

}  // namespace am::detail::tcp
