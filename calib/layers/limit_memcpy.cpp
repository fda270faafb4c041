// limit-memcpy: how fast one core can copy into memory that another has mapped, if nobody needs to
// know of it. No flag, no reader, no acknowledgement: hence the untouched form alone.
#include <calib/program/copies.hpp>
#include <calib/program/pair.hpp>

namespace {

using namespace calib;

class limit_memcpy {
 public:
  limit_memcpy(copy_routine* copy, cargo& from, std::byte* to) noexcept
      : copy_(copy), from_(from), to_(to) {}

  void set(const bulk& what) noexcept { what_ = what; }
  cargo& memory() noexcept { return from_; }
  void store(std::uint64_t n) noexcept {
    copy_(to_ + n * what_.bytes, from_.piece(what_, n), what_.bytes);
  }
  std::uint64_t settle_stores() noexcept { return what_.count(); }

 private:
  copy_routine* copy_;
  cargo& from_;
  std::byte* to_;
  bulk what_{};
};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const std::size_t room = room_for(from.bytes);
  if (room == 0) report::fault("measures bulk data alone: --bytes");
  as_pair(room, [&](side mine, std::byte* shared) {
    if (mine == side::answering) return;
    cargo memory(room);
    script play(mine, from);
    for (const copy_way& way : ways_to_copy()) {
      limit_memcpy layer(way.run, memory, shared);
      play.store_bulk(layer, way.name, 0, forms::untouched);
    }
  });
}
