// limit-copy: the highest rate of bulk data between two processes, with the minimum of work. A
// store copies a piece into memory that the reader has mapped, and sets a flag in a cache line of
// its own; the reader waits for every flag, and reads the piece if it is to be touched. A get
// copies a piece from the peer's memory. The best method at each size counts.
#include <calib/program/copy_methods.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/pair.hpp>

#include <algorithm>
#include <atomic>

namespace {

using namespace calib;

constexpr std::size_t large_burst = 256 << 10;
// A burst has more than one piece only if a sample has more pieces than this.
constexpr std::uint64_t min_burst_pieces = bulk_spec{large_burst, false}.count();

struct alignas(64) flag {
  std::atomic<std::uint64_t> number;  // of the piece in this place, counted from 1 over all samples
};

struct alignas(4096) flags {
  static constexpr std::uint64_t count = 4096;  // more than the pieces of a sample
  flag pieces[count];
  struct alignas(128) {
    std::atomic<std::uint64_t> number;  // of the last piece that the reader has seen
    std::uint64_t checksum;             // of the last sample
  } ack;

  [[nodiscard]] flag& of(std::uint64_t piece) noexcept { return pieces[piece % count]; }
};

class limit_copy {
 public:
  limit_copy(copy_routine* copy, bulk_buffer& mine, flags& piece_flags, std::byte* shared) noexcept
      : copy_(copy), mine_(mine), flags_(piece_flags), shared_(shared) {}

  // A reader that follows closely takes lines away that the writer still writes: the reader waits
  // until this many bytes have arrived.
  void set_burst_bytes(std::size_t bytes) noexcept { burst_bytes_ = bytes; }

  void set(const bulk_spec& what) noexcept { what_ = what; }
  bulk_buffer& memory() noexcept { return mine_; }

  void store(std::uint64_t n) noexcept {
    copy_(shared_piece(n), mine_.piece(what_, n), what_.bytes);
    ++pieces_;
    flags_.of(pieces_).number.store(pieces_, std::memory_order_release);
  }
  std::uint64_t wait_for_stores() noexcept {
    while (flags_.ack.number.load(std::memory_order_acquire) != pieces_) relax();
    return flags_.ack.checksum;
  }
  void serve_stores() noexcept {
    const std::uint64_t burst =
        std::clamp<std::uint64_t>(burst_bytes_ / what_.bytes, 1, what_.count());
    std::uint64_t checksum = 0;
    for (std::uint64_t n = 0; n < what_.count(); n += burst) {
      for (std::uint64_t k = burst; k > 0; --k) wait_for_piece(pieces_ + k);
      for (std::uint64_t k = 0; k < burst; ++k)
        checksum += piece_checksum(what_, shared_piece(n + k));
      pieces_ += burst;
    }
    flags_.ack.checksum = checksum;
    flags_.ack.number.store(pieces_, std::memory_order_release);
  }

  void get(std::uint64_t n) noexcept {
    copy_(mine_.piece(what_, n), shared_piece(n), what_.bytes);
    checksum_ += piece_checksum(what_, mine_.piece(what_, n));
  }
  std::uint64_t wait_for_gets() noexcept {
    const std::uint64_t checksum = checksum_;
    checksum_ = 0;
    return checksum;
  }

 private:
  [[nodiscard]] std::byte* shared_piece(std::uint64_t n) const noexcept {
    return shared_ + n * what_.bytes;
  }
  void wait_for_piece(std::uint64_t piece) const noexcept {
    while (flags_.of(piece).number.load(std::memory_order_acquire) != piece) relax();
  }

  copy_routine* copy_;
  std::size_t burst_bytes_ = 0;
  bulk_buffer& mine_;
  flags& flags_;
  std::byte* shared_;
  bulk_spec what_{};
  std::uint64_t pieces_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) report::fault("measures bulk data alone: --bytes");
  const std::vector<copy_method> methods = copy_methods();
  const std::size_t flags_bytes = methods.size() * sizeof(flags);
  const auto run = [&](side mine, std::byte* memory) {
    auto* next_flags = reinterpret_cast<flags*>(memory);
    bulk_buffer own_buffer(mine == side::requester ? memory_bytes : line_bytes);
    probe_runner runner(mine, opts);
    std::vector<limit_copy> layers;
    for (const copy_method& method : methods)
      layers.emplace_back(method.run, own_buffer, *next_flags++, memory + flags_bytes);
    for (std::size_t i = 0; i < methods.size(); ++i) runner.get_bulk(layers[i], methods[i].name);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const std::string name = methods[i].name;
      runner.store_bulk(layers[i], name);
      layers[i].set_burst_bytes(large_burst);
      runner.store_bulk(layers[i], name + ",bursts", min_burst_pieces);
    }
  };
  run_pair(flags_bytes + memory_bytes, run,
           [&](std::byte* memory) { number_lines(memory + flags_bytes, memory_bytes); });
}
