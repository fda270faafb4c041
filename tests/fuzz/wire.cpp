// Frames of ranks without shared memory: whatever the bytes are, the messages that are read can be
// packed again and are read alike.
#include "../wire/messages.hpp"
#include "target.hpp"

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace wire = am::detail::wire;
using am_test::fuzz::input_reader;

namespace {

// Packs the messages of an accepted frame anew.
void pack_again(const std::vector<wire::message>& all, wire::payload_sizes payloads) {
  wire::packer packer(wire::full_frame_bytes, std::nullopt, payloads);
  wire::unpacker unpacker(std::nullopt, payloads);
  for (const wire::message& one : all) {
    packer.add(one);
    const std::span<const std::byte> whole = packer.close(0);
    AM_PROMISE(unpacker.begin_frame(whole) == wire::unpacker::parse_result::frame);
    const auto repacked = am_test::next_of(unpacker);
    AM_PROMISE(repacked.has_value() && am_test::same(one, *repacked));
    AM_PROMISE(!am_test::next_of(unpacker) && !unpacker.has_error());
  }
}

}  // namespace

// If the first byte is odd the checksum is corrected, so that the bytes behind it are parsed. Its
// next bit: payloads may be as large as in any job.
AM_FUZZ_TARGET(wire_frames) {
  input_reader in(input);
  const unsigned choice = in.byte();
  const bool fix_checksum = choice % 2 != 0;
  const wire::payload_sizes payloads((choice & 2) != 0 ? wire::largest_max_medium
                                                       : wire::default_max_medium);
  const std::size_t most = wire::most_frame_bytes(payloads);
  const std::string_view text = in.text(2 * most);
  const auto all_of_it = std::as_bytes(std::span(text));
  std::vector<std::byte> bytes(all_of_it.begin(), all_of_it.end());
  wire::unpacker unpacker(std::nullopt, payloads);
  std::span<std::byte> rest(bytes);
  for (;;) {
    if (fix_checksum && rest.size() >= wire::frame_header_bytes) {
      const auto steps = wire::read_number<std::uint16_t>(rest.data() + 4);
      const std::size_t size = std::size_t{wire::payload_step} * steps;
      wire::write_number(rest.data() + 6, static_cast<std::uint16_t>(~steps));
      if (size >= wire::frame_header_bytes && size <= rest.size())
        wire::write_number(rest.data(), wire::frame_check(rest.first(size)));
    }
    const auto found = unpacker.begin_frame(rest);
    if (found != wire::unpacker::parse_result::frame) {
      AM_PROMISE((found == wire::unpacker::parse_result::error) == unpacker.has_error());
      AM_PROMISE(unpacker.has_error() || unpacker.needed() > rest.size());
      AM_PROMISE(unpacker.needed() <= most);
      return;
    }
    std::vector<wire::message> all;
    while (const auto one = am_test::next_of(unpacker)) all.push_back(*one);
    if (unpacker.has_error()) return;
    AM_PROMISE(all.size() <= unpacker.frame_bytes() / wire::message_header_bytes);
    pack_again(all, payloads);
    rest = rest.subspan(std::min(
        rest.size(), unpacker.frame_bytes() + wire::round_up_to_step(unpacker.following())));
  }
}
