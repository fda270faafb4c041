// Frames of ranks that share no memory: whatever the bytes are, what comes out can be put in again
// and comes out alike.
#include "../wire/messages.hpp"
#include "target.hpp"

#include <libam/wire/frame_check.hpp>
#include <libam/wire/little_endian.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace wire = am::detail::wire;
using am_test::fuzz::taken;

namespace {

// What is in a frame that was accepted, packed anew.
void pack_again(const std::vector<wire::message>& all, wire::payload_sizes payloads) {
  wire::packer packer(wire::full_frame_bytes, std::nullopt, payloads);
  wire::unpacker unpacker(std::nullopt, payloads);
  for (const wire::message& one : all) {
    packer.add(one);
    const std::span<const std::byte> whole = packer.close(0);
    AM_PROMISE(unpacker.look(whole) == wire::unpacker::found::frame);
    const auto came = am_test::next_of(unpacker);
    AM_PROMISE(came.has_value() && am_test::same(one, *came));
    AM_PROMISE(!am_test::next_of(unpacker) && !unpacker.in_trouble());
  }
}

}  // namespace

// A first byte that is odd: the check is put right, so that what stands behind it is looked at. Its
// next bit: payloads may be as large as they may in any job.
AM_FUZZ_TARGET(wire_frames) {
  taken in(input);
  const unsigned choice = in.byte();
  const bool mend = choice % 2 != 0;
  const wire::payload_sizes payloads((choice & 2) != 0 ? wire::largest_max_medium
                                                       : wire::usual_max_medium);
  const std::size_t most = wire::most_frame_bytes(payloads);
  const std::string_view text = in.text(2 * most);
  const auto all_of_it = std::as_bytes(std::span(text));
  std::vector<std::byte> bytes(all_of_it.begin(), all_of_it.end());
  wire::unpacker unpacker(std::nullopt, payloads);
  std::span<std::byte> rest(bytes);
  for (;;) {
    if (mend && rest.size() >= wire::frame_header_bytes) {
      const auto steps = wire::read_number<std::uint16_t>(rest.data() + 4);
      const std::size_t size = std::size_t{wire::payload_step} * steps;
      wire::write_number(rest.data() + 6, static_cast<std::uint16_t>(~steps));
      if (size >= wire::frame_header_bytes && size <= rest.size())
        wire::write_number(rest.data(), wire::frame_check(rest.first(size)));
    }
    const auto found = unpacker.look(rest);
    if (found != wire::unpacker::found::frame) {
      AM_PROMISE((found == wire::unpacker::found::trouble) == unpacker.in_trouble());
      AM_PROMISE(unpacker.in_trouble() || unpacker.needed() > rest.size());
      AM_PROMISE(unpacker.needed() <= most);
      return;
    }
    std::vector<wire::message> all;
    while (const auto one = am_test::next_of(unpacker)) all.push_back(*one);
    if (unpacker.in_trouble()) return;
    AM_PROMISE(all.size() <= unpacker.frame_bytes() / wire::message_header_bytes);
    pack_again(all, payloads);
    rest = rest.subspan(
        std::min(rest.size(), unpacker.frame_bytes() + wire::up_to_step(unpacker.following())));
  }
}
