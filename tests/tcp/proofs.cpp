#include <transports/tcp/agreement.hpp>
#include <transports/tcp/proof.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

using namespace am::detail;
using namespace am::detail::tcp;

namespace {

struct parts {
  seam::job_secret secret{std::byte{1}, std::byte{2}};
  hello first{3, 5, {std::byte{7}}};
  nonce answer{std::byte{9}};

  [[nodiscard]] proof by(side who) const { return prove(secret, who, first, answer); }
};

}  // namespace

TEST_CASE("a proof depends on all that it is about") {
  REQUIRE(prepare_proofs());
  const parts right;
  const proof shown = right.by(side::listener);
  CHECK(same(shown, right.by(side::listener)));
  CHECK_FALSE(same(shown, right.by(side::connector)));
  const auto other_if = [&](auto&& change) {
    parts other = right;
    change(other);
    return !same(shown, other.by(side::listener));
  };
  CHECK(other_if([](parts& p) { p.secret.back() = std::byte{1}; }));
  CHECK(other_if([](parts& p) { p.first.from = 4; }));
  CHECK(other_if([](parts& p) { p.first.to = 6; }));
  CHECK(other_if([](parts& p) { p.first.number.back() = std::byte{1}; }));
  CHECK(other_if([](parts& p) { p.answer.back() = std::byte{1}; }));
}

TEST_CASE("numbers are never used twice") {
  REQUIRE(prepare_proofs());
  CHECK(fresh_nonce() != fresh_nonce());
}

TEST_CASE("a hello is read as it was written, and nothing else is one") {
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

// Rank 3 and rank 5, and what each comes by.
struct agreement {
  private_half caller_half;
  private_half listener_half;
  parts told;
  agreement() {
    told.first.number = fresh_public_key(caller_half);
    told.answer = fresh_public_key(listener_half);
  }
  [[nodiscard]] session_keys of_caller() const {
    private_half half = caller_half;
    return agree(told.secret, side::connector, told.first, told.answer, half);
  }
  [[nodiscard]] session_keys of_listener() const {
    private_half half = listener_half;
    return agree(told.secret, side::listener, told.first, told.answer, half);
  }
};

std::array<std::byte, 32> from_hex(std::string_view digits) {
  std::array<std::byte, 32> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(std::stoi(std::string(digits.substr(2 * i, 2)), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE("two that have told each other half a key have the same keys, one for each direction") {
  REQUIRE(prepare_proofs());
  const agreement one;
  CHECK(one.of_caller().sending == one.of_listener().receiving);
  CHECK(one.of_caller().receiving == one.of_listener().sending);
  CHECK(one.of_caller().sending != one.of_caller().receiving);
}

TEST_CASE("a key depends on all that it is made of") {
  REQUIRE(prepare_proofs());
  const agreement right;
  const auto other_if = [&](auto&& change) {
    agreement other = right;
    change(other);
    return other.of_caller().sending != right.of_caller().sending &&
           other.of_caller().receiving != right.of_caller().receiving;
  };
  CHECK_FALSE(other_if([](agreement&) {}));
  CHECK(other_if([](agreement& a) { a.told.secret.back() = std::byte{1}; }));
  CHECK(other_if([](agreement& a) { a.told.first.from = 4; }));
  CHECK(other_if([](agreement& a) { a.told.first.to = 6; }));
  CHECK(other_if([](agreement& a) { a.told.first.number = fresh_nonce(); }));
  CHECK(other_if([](agreement& a) { a.told.answer = fresh_public_key(a.listener_half); }));
  CHECK(other_if([](agreement& a) { (void)fresh_public_key(a.caller_half); }));
  CHECK(other_if([](agreement& a) { a.told.answer = {}; }));  // is no key
}

// The expected bytes are another program's.
TEST_CASE("keys are those of the wire format") {
  REQUIRE(prepare_proofs());
  private_half caller;
  private_half listener;
  caller.fill(std::byte{1});
  listener.fill(std::byte{2});
  const hello first{3, 5,
                    from_hex("a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")};
  const nonce answer = from_hex("ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59");
  const seam::job_secret secret{std::byte{1}, std::byte{2}};
  const session_keys keys = agree(secret, side::connector, first, answer, caller);
  CHECK(keys.sending ==
        from_hex("8874f6c6844334a4d4670804bc69ae416e0c9fa385903664d245b6ed71946690"));
  CHECK(keys.receiving ==
        from_hex("c2821322e71ea8669b6dc663df2de48d83adcaa121708c229e355a526180bf14"));
  CHECK(agree(secret, side::listener, first, answer, listener).sending == keys.receiving);
}

TEST_CASE("the half that is not told is gone when the keys are made") {
  REQUIRE(prepare_proofs());
  agreement one;
  (void)agree(one.told.secret, side::connector, one.told.first, one.told.answer, one.caller_half);
  CHECK(one.caller_half == private_half{});
}
