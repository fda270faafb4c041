// limit-socket-calls: limit-socket's bulk data, with one call of the system for each piece. A store
// that returns when its source may be used again, and has not copied it, needs that call; a stream
// of pieces written 8 MiB at a time does not. Bulk data alone, and measured when it is named.
#include <calib/layers/limit_socket_bulk.hpp>
#include <calib/layers/loopback.hpp>
#include <calib/program/pair.hpp>

using namespace calib;

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  if (from.bytes.empty()) report::fault("measures bulk data alone: --bytes");
  const connection line = connect_here();
  const connection small = connect_here(256 << 10);
  as_pair(1, [&](side mine, std::byte*) {
    script play(mine, from);
    constexpr std::size_t piece = limit_socket_bulk::one_piece;
    constexpr std::size_t kib = 1024;
    const bulk_shape shapes[] = {
        {small.end_of(mine), waiting::spinning, piece, 64 * kib, "small-buffers,64K-reads"},
        {small.end_of(mine), waiting::spinning, piece, 256 * kib, "small-buffers,256K-reads"},
        {line.end_of(mine), waiting::spinning, piece, 256 * kib, "256K-reads"},
        {line.end_of(mine), waiting::blocking, piece, 1024 * kib, "1M-reads,blocking"},
    };
    measure_bulk(play, shapes, room_for(from.bytes));
  });
}
