// How two ranks that prove themselves come by keys that nobody else can know, not even who learns
// the job's secret later: the numbers that they tell each other are public keys, made for this one
// connection.
#pragma once

#include <transports/tcp/cipher.hpp>
#include <transports/tcp/proof.hpp>

namespace am::detail::tcp {

// The half of such a number that is not told.
using private_half = std::array<std::byte, 32>;

// A number to say, fresh as any other, and its private half.
nonce fresh_public_key(private_half& half) noexcept;

// The keys of `me`, in the conversation that began with `first`. Wipes the half: from then on what
// was recorded stays closed.
session_keys agree(const seam::job_secret& secret, side me, const hello& first, const nonce& answer,
                   private_half& half) noexcept;

}  // namespace am::detail::tcp
