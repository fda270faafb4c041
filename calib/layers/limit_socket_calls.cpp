// limit-socket-calls: limit-socket's bulk data, with one system call per piece. A store that
// returns when its source is reusable, without a copy, needs this call; a stream of pieces written
// 8 MiB at a time does not. Only bulk data; measured only if selected by name.
#include <calib/layers/limit_socket_bulk.hpp>
#include <calib/layers/loopback.hpp>
#include <calib/program/pair.hpp>

using namespace calib;

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  if (opts.bytes.empty()) report::fault("measures bulk data alone: --bytes");
  const connection large = connect_loopback();
  const connection small = connect_loopback(256 << 10);
  run_pair(1, [&](side mine, std::byte*) {
    probe_runner runner(mine, opts);
    constexpr std::size_t piece = limit_socket_bulk::one_piece;
    constexpr std::size_t kib = 1024;
    const bulk_shape shapes[] = {
        {small.end_of(mine), wait_mode::spinning, piece, 64 * kib, "small-buffers,64K-reads"},
        {small.end_of(mine), wait_mode::spinning, piece, 256 * kib, "small-buffers,256K-reads"},
        {large.end_of(mine), wait_mode::spinning, piece, 256 * kib, "256K-reads"},
        {large.end_of(mine), wait_mode::blocking, piece, 1024 * kib, "1M-reads,blocking"},
    };
    measure_bulk(runner, shapes, bulk_memory_for(opts.bytes));
  });
}
