// Two halves of a pair over frames, driven against each other without a transport.
#pragma once

#include "../support/mourner.hpp"
#include "../support/recorder.hpp"
#include "../wire/messages.hpp"

#include <libam/packed/frame_reader.hpp>
#include <libam/packed/frame_writer.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace am_test {

namespace packed = am::detail::packed;
namespace seam = am::detail::seam;
using found = packed::frame_reader::found;
using stop = packed::frame_reader::stop;
using ran = recorder::ran;

inline constexpr std::size_t full = wire::full_frame_bytes;
inline constexpr unsigned plenty = 1000;

// One rank of two, with its window of credits.
struct rank {
  rank(am_rank own, std::uint32_t window, std::size_t full_frame)
      : out(credits, window, full_frame, own, am::detail::wire::payload_sizes()),
        in(seen, 1 - own, credits, out, 1 - own, am::detail::wire::payload_sizes()) {
    credits.raise_limit(window);
  }
  // As core does, and says whether the frame has to leave.
  bool ask(am_word word, std::uint32_t handler = asking) {
    credits.take();
    return out.request(handler, word, 0, 0, 0);
  }
  bool tell(const void* where, std::size_t size) {
    credits.take();
    const am_word words[AM_WORDS] = {5};
    return out.notice(silent, words, where, size);
  }

  seam::sender_credits credits;
  recorder seen;
  packed::frame_writer out;
  packed::frame_reader in;
};

// Two of them. The frame that came last to either stays until the next one.
struct couple {
  explicit couple(std::uint32_t window = 8, std::size_t full_frame = full)
      : zero(0, window, full_frame), one(1, window, full_frame) {}

  found carry(rank& from, rank& to) {
    frame = std::make_unique<aligned_bytes>(from.out.close());
    return to.in.begin(frame->all());
  }
  // The only message of that frame, without it.
  bool carry_alone(rank& from, rank& to) {
    const auto alone = from.out.lone_message();
    REQUIRE(alone);
    am_word words[AM_WORDS] = {};
    std::memcpy(words, alone->words.data(), alone->words.size());
    from.out.close_without_frame();
    return to.in.take_lone(alone->kind, alone->has_silent, alone->handler, words);
  }
  // All messages of the frame that `from` has open.
  stop deliver(rank& from, rank& to) {
    REQUIRE(carry(from, to) == found::frame);
    unsigned budget = plenty;
    return to.in.deliver(budget);
  }

  rank zero;
  rank one;
  std::unique_ptr<aligned_bytes> frame;
};

}  // namespace am_test
