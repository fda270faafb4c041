#include <transports/tcp/connect/key_exchange.hpp>
#include <transports/tcp/connect/proof.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

namespace tcp_proofs {

using namespace am::detail;
using namespace am::detail::tcp;

namespace {

struct parts {
  seam::job_secret secret{std::byte{1}, std::byte{2}};
  hello first{3, 5, {std::byte{7}}};
  nonce answer{std::byte{9}};

  [[nodiscard]] proof by(side prover) const { return prove(secret, prover, first, answer); }
};

}  // namespace

TEST_CASE("a proof depends on all its inputs") {
  REQUIRE(init_sodium());
  const parts right;
  const proof shown = right.by(side::listener);
  CHECK(equal_constant_time(shown, right.by(side::listener)));
  CHECK_FALSE(equal_constant_time(shown, right.by(side::connector)));
  const auto other_if = [&](auto&& change) {
    parts other = right;
    change(other);
    return !equal_constant_time(shown, other.by(side::listener));
  };
  CHECK(other_if([](parts& p) { p.secret.back() = std::byte{1}; }));
  CHECK(other_if([](parts& p) { p.first.from = 4; }));
  CHECK(other_if([](parts& p) { p.first.to = 6; }));
  CHECK(other_if([](parts& p) { p.first.number.back() = std::byte{1}; }));
  CHECK(other_if([](parts& p) { p.answer.back() = std::byte{1}; }));
}

TEST_CASE("nonces are never reused") {
  REQUIRE(init_sodium());
  CHECK(fresh_nonce() != fresh_nonce());
}

TEST_CASE("a hello is read as it was written, and anything else is refused") {
  const hello one{3, 0x01020304, {std::byte{7}, std::byte{8}}};
  auto bytes = encode(one);
  const auto read = decode(bytes);
  REQUIRE(read);
  CHECK(read->from == 3);
  CHECK(read->to == 0x01020304);
  CHECK(read->number == one.number);
  bytes[7] = std::byte{'2'};
  CHECK_FALSE(decode(bytes));
}

namespace {

// Rank 3 and rank 5, and the keys that each derives.
struct key_exchange {
  private_key caller_key;
  private_key listener_key;
  parts exchanged;
  key_exchange() {
    exchanged.first.number = fresh_public_key(caller_key);
    exchanged.answer = fresh_public_key(listener_key);
  }
  [[nodiscard]] session_keys of_caller() const {
    private_key own_key = caller_key;
    return derive_keys(exchanged.secret, side::connector, exchanged.first, exchanged.answer,
                       own_key);
  }
  [[nodiscard]] session_keys of_listener() const {
    private_key own_key = listener_key;
    return derive_keys(exchanged.secret, side::listener, exchanged.first, exchanged.answer,
                       own_key);
  }
};

std::array<std::byte, 32> from_hex(std::string_view digits) {
  std::array<std::byte, 32> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(std::stoi(std::string(digits.substr(2 * i, 2)), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE(
    "two ranks that have exchanged public keys derive the same keys, one for each direction") {
  REQUIRE(init_sodium());
  const key_exchange one;
  CHECK(one.of_caller().sending == one.of_listener().receiving);
  CHECK(one.of_caller().receiving == one.of_listener().sending);
  CHECK(one.of_caller().sending != one.of_caller().receiving);
}

TEST_CASE("a key depends on all its inputs") {
  REQUIRE(init_sodium());
  const key_exchange right;
  const auto other_if = [&](auto&& change) {
    key_exchange other = right;
    change(other);
    return other.of_caller().sending != right.of_caller().sending &&
           other.of_caller().receiving != right.of_caller().receiving;
  };
  CHECK_FALSE(other_if([](key_exchange&) {}));
  CHECK(other_if([](key_exchange& a) { a.exchanged.secret.back() = std::byte{1}; }));
  CHECK(other_if([](key_exchange& a) { a.exchanged.first.from = 4; }));
  CHECK(other_if([](key_exchange& a) { a.exchanged.first.to = 6; }));
  CHECK(other_if([](key_exchange& a) { a.exchanged.first.number = fresh_nonce(); }));
  CHECK(other_if([](key_exchange& a) { a.exchanged.answer = fresh_public_key(a.listener_key); }));
  CHECK(other_if([](key_exchange& a) { (void)fresh_public_key(a.caller_key); }));
  CHECK(other_if([](key_exchange& a) { a.exchanged.answer = {}; }));  // is no key
}

// The expected bytes were computed by another program.
TEST_CASE("keys are those of the wire format") {
  REQUIRE(init_sodium());
  private_key caller;
  private_key listener;
  caller.fill(std::byte{1});
  listener.fill(std::byte{2});
  const hello first{3, 5,
                    from_hex("a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")};
  const nonce answer = from_hex("ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59");
  const seam::job_secret secret{std::byte{1}, std::byte{2}};
  const session_keys keys = derive_keys(secret, side::connector, first, answer, caller);
  CHECK(keys.sending ==
        from_hex("8874f6c6844334a4d4670804bc69ae416e0c9fa385903664d245b6ed71946690"));
  CHECK(keys.receiving ==
        from_hex("c2821322e71ea8669b6dc663df2de48d83adcaa121708c229e355a526180bf14"));
  CHECK(derive_keys(secret, side::listener, first, answer, listener).sending == keys.receiving);
}

TEST_CASE("the private key is erased when the session keys are derived") {
  REQUIRE(init_sodium());
  key_exchange one;
  (void)derive_keys(one.exchanged.secret, side::connector, one.exchanged.first,
                    one.exchanged.answer, one.caller_key);
  CHECK(one.caller_key == private_key{});
}

}  // namespace tcp_proofs
