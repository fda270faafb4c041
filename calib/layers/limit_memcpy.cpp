// limit-memcpy: the highest rate at which one core copies into memory that another process has
// mapped, without a flag, a reader or an acknowledgement: hence only the untouched form.
#include <calib/program/copy_methods.hpp>
#include <calib/program/pair.hpp>

namespace {

using namespace calib;

class limit_memcpy {
 public:
  limit_memcpy(copy_routine* copy, bulk_buffer& from, std::byte* to) noexcept
      : copy_(copy), from_(from), to_(to) {}

  void set(const bulk_spec& what) noexcept { what_ = what; }
  bulk_buffer& memory() noexcept { return from_; }
  void store(std::uint64_t n) noexcept {
    copy_(to_ + n * what_.bytes, from_.piece(what_, n), what_.bytes);
  }
  std::uint64_t wait_for_stores() noexcept { return what_.count(); }

 private:
  copy_routine* copy_;
  bulk_buffer& from_;
  std::byte* to_;
  bulk_spec what_{};
};

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) report::fault("measures bulk data alone: --bytes");
  run_pair(memory_bytes, [&](side mine, std::byte* shared) {
    if (mine == side::responder) return;
    bulk_buffer memory(memory_bytes);
    probe_runner runner(mine, opts);
    for (const copy_method& method : copy_methods()) {
      limit_memcpy layer(method.run, memory, shared);
      runner.store_bulk(layer, method.name, 0, forms::untouched);
    }
  });
}
