// Where bytes of a connection come in: whatever has been taken out of it, the longest frame of the
// job can become complete.
#include <transports/tcp/input.hpp>

#include <doctest/doctest.h>

using am::detail::tcp::input;
namespace wire = am::detail::wire;

TEST_CASE("the longest frame has room wherever the one before has ended") {
  for (const std::uint32_t largest : {8192U, 16384U, 65536U}) {
    CAPTURE(largest);
    const wire::payload_sizes payloads(largest);
    const std::size_t frame = wire::most_frame_bytes(payloads);
    input in(payloads);
    CHECK(in.room().size() >= 128 * 1024);
    CHECK(in.room().size() >= 2 * frame);
    for (unsigned step = 0; step < 100; ++step) {
      in.came(in.room().size());
      while (in.bytes().size() >= frame) in.drop(frame);
      REQUIRE(in.bytes().size() + in.room().size() >= frame);
      in.drop(in.bytes().size() / 32 * 16);
      REQUIRE(in.bytes().size() + in.room().size() >= frame);
      REQUIRE(reinterpret_cast<std::uintptr_t>(in.bytes().data()) % wire::payload_step == 0);
    }
  }
}
