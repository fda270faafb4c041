// The two ends of a pair over frames, connected without a transport.
#pragma once

#include "../support/failure_sink.hpp"
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
using parse_result = packed::frame_reader::parse_result;
using stop_reason = packed::frame_reader::stop_reason;
using handler_run = recorder::handler_run;

inline constexpr std::size_t full = wire::full_frame_bytes;
inline constexpr unsigned plenty = 1000;

// One of two ranks, with its window of credits.
struct rank {
  rank(am_rank own, std::uint32_t window, std::size_t full_frame)
      : out(credits, window, full_frame, own, am::detail::wire::payload_sizes()),
        in(seen, 1 - own, credits, out, 1 - own, am::detail::wire::payload_sizes()) {
    credits.raise_limit(window);
  }
  // As core sends a request; returns whether the frame has to leave.
  bool send_request(am_word word, std::uint32_t handler = replying) {
    credits.take();
    return out.request(handler, word, 0, 0, 0);
  }
  bool send_notice(const void* where, std::size_t size) {
    credits.take();
    const am_word words[AM_WORDS] = {5};
    return out.notice(silent, words, where, size);
  }

  seam::sender_credits credits;
  recorder seen;
  packed::frame_writer out;
  packed::frame_reader in;
};

// Both ranks. The frame that was transferred last is kept until the next one.
struct rank_pair {
  explicit rank_pair(std::uint32_t window = 8, std::size_t full_frame = full)
      : zero(0, window, full_frame), one(1, window, full_frame) {}

  parse_result transfer_frame(rank& from, rank& to) {
    frame = std::make_unique<aligned_bytes>(from.out.close());
    return to.in.begin(frame->all());
  }
  // Transfers the only message of the frame, without the frame.
  bool transfer_lone(rank& from, rank& to) {
    const auto alone = from.out.lone_message();
    REQUIRE(alone);
    am_word words[AM_WORDS] = {};
    std::memcpy(words, alone->words.data(), alone->words.size());
    from.out.close_without_frame();
    return to.in.deliver_lone(alone->kind, alone->has_silent, alone->handler, words);
  }
  // Delivers all messages of the frame that `from` has open.
  stop_reason deliver(rank& from, rank& to) {
    REQUIRE(transfer_frame(from, to) == parse_result::frame);
    unsigned budget = plenty;
    return to.in.deliver(budget);
  }

  rank zero;
  rank one;
  std::unique_ptr<aligned_bytes> frame;
};

}  // namespace am_test
