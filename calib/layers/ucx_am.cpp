// ucx-am: active messages of 32 bytes by UCP itself, over those of its transports that UCX_TLS
// names. What it costs to use UCX directly.
#include <calib/layers/ucx_bulk.hpp>
#include <calib/layers/ucx_mediums.hpp>
#include <calib/layers/ucx_messages.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/pair.hpp>

#include <ucp/api/ucp.h>

#include <cstdlib>
#include <string>

namespace {

using namespace calib;

std::string version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  ucp_get_version(&major, &minor, &patch);
  return "UCX " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

// The best of these is another one for each probe.
void measure_small(ucx_messages& layer, const options& from) {
  script play(side::asking, from);
  play.rtt(layer, "default");
  for (const unsigned window : {64U, 256U, 1024U}) {
    layer.set_window(window);
    const std::string name = "window=" + std::to_string(window);
    play.flood(layer, name);
    play.rr_flood(layer, name);
  }
}

void play_small(side mine, ucx_card& own, const ucx_card& other, const options& from) {
  ucx_messages layer(own, other, from.windows);
  if (mine == side::answering) {
    layer.set_window(1024);
    layer.serve();
  } else {
    layer.set_window(256);
    if (from.signature)
      calibrate(layer, shipped_pieces(layer), from);
    else
      measure_small(layer, from);
    layer.leave();
  }
  layer.close();
}

void play_mediums(side mine, ucx_card& own, const ucx_card& other, const options& from) {
  script play(mine, from);
  ucx_mediums layer(own, other);
  layer.set_way(64, false);
  play.medium(layer, "window=64");
  for (const unsigned window : {8U, 64U}) {
    layer.set_way(window, true);
    play.medium(layer, "window=" + std::to_string(window) + ",eager");
  }
  layer.close();
}

void play_bulk(side mine, ucx_card* own, const ucx_card* other, const options& from) {
  const std::size_t room = room_for(from.bytes);
  if (room == 0) return;
  script play(mine, from);
  ucx_bulk layer(own, other, room);
  const std::pair<unsigned, const char*> windows[] = {{1, "window=1"}, {32, "window=32"}};
  for (const auto& [window, name] : windows) {
    layer.set_window(window);
    play.get_bulk(layer, name);
  }
  for (const auto& [window, name] : windows) {
    layer.set_window(window);
    play.store_bulk(layer, name);
  }
  layer.close();
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  report::note("version", version());
  const char* transports = std::getenv("UCX_TLS");
  report::note("UCX_TLS", transports != nullptr ? transports : "any");
  // Each side has a card for small messages, one for mediums, one for bulk data, one for its
  // memory.
  constexpr std::ptrdiff_t cards = 4;
  as_pair(2 * cards * sizeof(ucx_card), [&](side mine, std::byte* memory) {
    auto* own = reinterpret_cast<ucx_card*>(memory) + (mine == side::asking ? 0 : cards);
    auto* other = reinterpret_cast<ucx_card*>(memory) + (mine == side::asking ? cards : 0);
    play_small(mine, own[0], other[0], from);
    if (!from.signature) play_mediums(mine, own[1], other[1], from);
    play_bulk(mine, own + 2, other + 2, from);
  });
}
