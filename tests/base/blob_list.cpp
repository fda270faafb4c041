// The blobs of a rank by key.
#include <libam/seam/blob_list.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace am::detail;

namespace {

std::string encoded(std::string_view key, std::string_view blob) {
  std::string out;
  seam::add_blob(out, key, seam::as_bytes(blob));
  return out;
}

bool add(seam::blob_list& to, std::string_view body) { return to.add(seam::as_bytes(body)); }

std::string value(const seam::blob_list& of, std::string_view key) {
  const auto found = of.find(key);
  return found ? std::string(reinterpret_cast<const char*>(found->data()), found->size()) : "none";
}

}  // namespace

TEST_CASE("blobs are found by their whole key, in whatever order they came") {
  seam::blob_list list;
  CHECK(value(list, "a") == "none");
  REQUIRE(add(list, encoded("ab", "1") + encoded("a", "22") + encoded("", "333")));
  REQUIRE(add(list, encoded("abc", "")));
  CHECK(value(list, "a") == "22");
  CHECK(value(list, "ab") == "1");
  CHECK(value(list, "abc").empty());
  CHECK(value(list, "") == "333");
  CHECK(value(list, "b") == "none");
}

TEST_CASE("a blob replaces one of the same key, also of the same body and of another size") {
  seam::blob_list list;
  REQUIRE(add(list, encoded("a", "1") + encoded("b", "2") + encoded("a", "33")));
  CHECK(value(list, "a") == "33");
  for (const std::string_view next : {"4", "", "55555"}) {
    REQUIRE(add(list, encoded("a", next)));
    CHECK(value(list, "a") == next);
    CHECK(value(list, "b") == "2");
  }
}

TEST_CASE("blobs that have been replaced are removed in the end") {
  seam::blob_list list;
  const std::string large(1000, 'x');
  for (int round = 0; round < 20; ++round)
    REQUIRE(add(list, encoded("a", large + std::to_string(round)) + encoded("b", large)));
  CHECK(value(list, "a") == large + "19");
  CHECK(value(list, "b") == large);
}

// Each of these would be looked up among all others for minutes.
TEST_CASE("a fence full of the smallest blobs is added") {
  std::string body;
  for (int i = 0; i < 1'000'000; ++i) body += encoded(std::to_string(i), "");
  seam::blob_list list;
  REQUIRE(add(list, body));
  CHECK(value(list, "999999").empty());
  CHECK(value(list, "1000000") == "none");
}

TEST_CASE("what is no sequence of blobs is refused, and what was there before remains") {
  seam::blob_list list;
  REQUIRE(add(list, encoded("a", "1")));
  const std::string one = encoded("b", "2");
  for (std::size_t cut = 1; cut < one.size(); ++cut) CHECK(!add(list, one.substr(0, cut)));
  CHECK(value(list, "a") == "1");
  CHECK(value(list, "b") == "none");
}
