// The frames between a rank and am-run: they are parsed from any bytes in any pieces, and read as
// they were written.
#include "target.hpp"

#include <libam/boot/run/protocol.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace boot = am::detail::boot;
namespace seam = am::detail::seam;
using am_test::fuzz::input_reader;

AM_FUZZ_TARGET(run_frames) {
  constexpr std::size_t most_body = 300;
  input_reader in(input);
  const std::size_t piece = 1U + in.byte();
  boot::frame_reader reader(most_body);
  std::string again;
  std::string fed;
  while (!in.empty()) {
    const std::string_view text = in.text(piece);
    fed += text;
    reader.feed(std::as_bytes(std::span(text.data(), text.size())));
    while (const auto frame = reader.next()) {
      AM_PROMISE(frame->body.size() <= most_body);
      const std::string_view body(reinterpret_cast<const char*>(frame->body.data()),
                                  frame->body.size());
      again += boot::make_frame(frame->kind, body);
    }
  }
  AM_PROMISE(fed.starts_with(again));
  AM_PROMISE(reader.broken() || fed.size() - again.size() < most_body + 8);
}

AM_FUZZ_TARGET(run_blobs) {
  const auto body = std::as_bytes(input);
  std::string again;
  seam::cursor next(body);
  while (const auto one = seam::read_blob(next)) seam::add_blob(again, one->key, one->blob);
  const auto read = std::as_bytes(std::span(again.data(), again.size()));
  AM_PROMISE(std::ranges::equal(read, body.first(read.size())));
  AM_PROMISE(seam::are_blobs(body) == (read.size() == body.size()));
  seam::cursor at(body);
  while (at.long_number()) continue;
  AM_PROMISE(at.rest().size() < sizeof(std::uint64_t));
}
