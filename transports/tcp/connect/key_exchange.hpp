// The key exchange of two ranks that prove themselves. No other process can know their session
// keys, not even one that learns the job's secret later: the nonces that they send each other are
// public keys, made for this one connection.
#pragma once

#include <transports/tcp/connect/proof.hpp>
#include <transports/tcp/link/cipher.hpp>

namespace am::detail::tcp {

// The private key that belongs to such a public key.
using private_key = std::array<std::byte, 32>;

// A public key, which serves as a fresh nonce, and its private key.
nonce fresh_public_key(private_key& own_key) noexcept;

// The session keys of `me`, in the handshake that began with `first`. Wipes the private key: after
// that recorded traffic cannot be decrypted any more.
session_keys derive_keys(const seam::job_secret& secret, side me, const hello& first,
                         const nonce& answer, private_key& own_key) noexcept;

}  // namespace am::detail::tcp
