#include <transports/tcp/proof.hpp>

#include <doctest/doctest.h>

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
