// ucx-am: active messages of 32 bytes with UCP alone, over the transports in UCX_TLS: the cost of
// using UCX directly.
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

// Each probe has a different best window.
void measure_small(ucx_messages& layer, const options& opts) {
  probe_runner runner(side::requester, opts);
  runner.rtt(layer, "default");
  for (const unsigned window : {64U, 256U, 1024U}) {
    layer.set_window(window);
    const std::string name = "window=" + std::to_string(window);
    runner.flood(layer, name);
    runner.rr_flood(layer, name);
  }
}

void run_small(side mine, ucx_address_slot& own, const ucx_address_slot& other,
               const options& opts) {
  ucx_messages layer(own, other, opts.windows);
  if (mine == side::responder) {
    layer.set_window(1024);
    layer.serve();
  } else {
    layer.set_window(256);
    if (opts.signature)
      calibrate(layer, sent_pieces(layer), opts);
    else
      measure_small(layer, opts);
    layer.leave();
  }
  layer.close();
}

void run_mediums(side mine, ucx_address_slot& own, const ucx_address_slot& other,
                 const options& opts) {
  probe_runner runner(mine, opts);
  ucx_mediums layer(own, other);
  layer.configure(64, false);
  runner.medium(layer, "window=64");
  for (const unsigned window : {8U, 64U}) {
    layer.configure(window, true);
    runner.medium(layer, "window=" + std::to_string(window) + ",eager");
  }
  layer.close();
}

void run_bulk(side mine, ucx_address_slot* own, const ucx_address_slot* other,
              const options& opts) {
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) return;
  probe_runner runner(mine, opts);
  ucx_bulk layer(own, other, memory_bytes);
  const std::pair<unsigned, const char*> windows[] = {{1, "window=1"}, {32, "window=32"}};
  for (const auto& [window, name] : windows) {
    layer.set_window(window);
    runner.get_bulk(layer, name);
  }
  for (const auto& [window, name] : windows) {
    layer.set_window(window);
    runner.store_bulk(layer, name);
  }
  layer.close();
}

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  report::note("version", version());
  const char* transports = std::getenv("UCX_TLS");
  report::note("UCX_TLS", transports != nullptr ? transports : "any");
  // Per side: the workers for small messages, mediums and bulk data, and the memory.
  constexpr std::ptrdiff_t slots_per_side = 4;
  run_pair(2 * slots_per_side * sizeof(ucx_address_slot), [&](side mine, std::byte* memory) {
    auto* own = reinterpret_cast<ucx_address_slot*>(memory) +
                (mine == side::requester ? 0 : slots_per_side);
    auto* other = reinterpret_cast<ucx_address_slot*>(memory) +
                  (mine == side::requester ? slots_per_side : 0);
    run_small(mine, own[0], other[0], opts);
    if (!opts.signature) run_mediums(mine, own[1], other[1], opts);
    run_bulk(mine, own + 2, other + 2, opts);
  });
}
