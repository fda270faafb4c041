// The receive buffer of a connection: whatever has been taken out of it, there is room for the
// longest frame of the job.
#include <transports/tcp/channel/input_buffer.hpp>

#include <doctest/doctest.h>

namespace tcp_input_buffer {

using am::detail::tcp::input_buffer;
namespace wire = am::detail::wire;

TEST_CASE("the longest frame has room wherever the one before has ended") {
  for (const std::uint32_t largest : {8192U, 16384U, 65536U}) {
    CAPTURE(largest);
    const wire::payload_sizes payloads(largest);
    const std::size_t frame = wire::most_frame_bytes(payloads);
    input_buffer in(payloads);
    CHECK(in.space().size() >= 2 * frame);
    for (unsigned step = 0; step < 100; ++step) {
      in.commit(in.space().size());
      while (in.bytes().size() >= frame) in.drop(frame);
      REQUIRE(in.bytes().size() + in.space().size() >= frame);
      in.drop(in.bytes().size() / 32 * 16);
      REQUIRE(in.bytes().size() + in.space().size() >= frame);
      REQUIRE(reinterpret_cast<std::uintptr_t>(in.bytes().data()) % wire::payload_step == 0);
    }
  }
}

}  // namespace tcp_input_buffer
