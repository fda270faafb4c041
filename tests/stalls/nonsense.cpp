// A process whose exposed endpoints are invalid, each in another way: random pointers and counts,
// names without an end, and four that change all the time. am-info PID reads it until its standard
// input ends.
#include <libam/core/exposure.hpp>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

namespace core = am::detail::core;
namespace seam = am::detail::seam;

constexpr am_rank ranks = 16;
constexpr std::size_t noise_words = std::size_t{1} << 17;

// One endpoint, and the memory that it points to.
class endpoint {
 public:
  explicit endpoint(unsigned seed) : rng_(seed), noise_(noise_words) {
    for (std::uint64_t& word : noise_) word = seed % 3 == 0 ? 0 : number();
    received_.resize(ranks);
    traffic_.resize(ranks);
    randomize();
    core::expose(exposure_);
  }

  void randomize() {
    exposure_ = {0,
                 any<am_rank>({ranks, ranks, ranks, 0, 1, 0xffff'ffff}),
                 any_pointer<const void*>(),
                 any_pointer<std::uint32_t>(),
                 any_pointer<am_rank>(),
                 any_pointer<std::uint64_t>(),
                 any_pointer<std::uint64_t>(),
                 any_pointer<seam::inbox::entry*>(),
                 any_pointer<std::uint32_t>(),
                 ports_.data(),
                 received_.data(),
                 traffic_.data(),
                 {any_pointer<char>(), 7, true, any<std::int64_t>({0, INT64_MIN, INT64_MAX})}};
    if (number() % 4 == 0) exposure_.received = any_pointer<seam::inbox::receive_counts>();
    if (number() % 4 == 0) exposure_.ports = any_pointer<seam::snapshot>();
    for (seam::sender_credits& one : credits_) {
      one = {};
      one.raise_limit(any<std::uint32_t>({1, 4096, 0xffff'ffff}));
      for (auto i = number() % 5; i != 0; --i) one.take();
      if (number() % 4 == 0) std::memset(static_cast<void*>(&one), 0xa5, sizeof one);
    }
    for (seam::snapshot& one : ports_) randomize(one);
  }

 private:
  void randomize(seam::snapshot& one) {
    one.credits = &credits_[number() % credits_.size()];
    seam::request_ring& ring = one.requests;
    ring.first = any_pointer<void>();
    ring.stride = any<std::uint32_t>({0, 1, 3, 8, 64, 64, 64, 0xffff'ffff});
    ring.words_at = any<std::uint32_t>({0, 8, 0xffff'ffff});
    ring.handler_shift = any<std::uint32_t>({0, 32, 63, 64, 0xffff'ffff});
    ring.noted = number() % 2 == 0 ? any_pointer<std::uint32_t>() : nullptr;
    ring.mask = any<std::uint32_t>({0, 3, 0xffff, 0xffff'ffff});
    places_ = {noise_.data(), noise_.data() + any<std::size_t>({0, 8, noise_words - 1})};
    ring.next = number() % 2 == 0 ? static_cast<const void*>(&places_[0]) : any_pointer<void>();
    ring.end = number() % 2 == 0 ? static_cast<const void*>(&places_[1]) : any_pointer<void>();
    ring.lap = any_pointer<std::uint16_t>();
    ring.gap_mask = number();
    ring.gap = any<std::uint64_t>({0, 1, ring.gap_mask});
    ring.begun = any_pointer<std::atomic<std::uint32_t>>();
    std::memset(one.transport, 't', sizeof one.transport);
  }

  std::uint64_t number() { return rng_(); }
  template <class Value, std::size_t N>
  Value any(const Value (&values)[N]) {
    return values[number() % N];
  }
  // Into the noise, to its last bytes, null, or anywhere.
  template <class Value>
  const Value* any_pointer() {
    const auto noise = reinterpret_cast<std::uintptr_t>(noise_.data());
    const std::uintptr_t to = any<std::uintptr_t>(
        {noise, noise, noise + 8 * (number() % noise_words), noise + 8 * noise_words - 1, 0,
         number(), ~std::uintptr_t{0}, ~std::uintptr_t{0} - 7});
    return reinterpret_cast<const Value*>(to);
  }

  std::mt19937_64 rng_;
  std::vector<std::uint64_t> noise_;
  std::array<seam::sender_credits, 4> credits_;
  std::array<seam::snapshot, ranks> ports_;
  std::array<const std::uint64_t*, 2> places_{};
  std::vector<seam::inbox::receive_counts> received_;
  std::vector<am_traffic> traffic_;
  core::exposure exposure_;
};

}  // namespace

int main() {
  std::vector<std::unique_ptr<endpoint>> all;
  for (unsigned seed = 1; seed <= core::exposed_endpoints::most; ++seed)
    all.push_back(std::make_unique<endpoint>(seed));
  (void)!::write(STDOUT_FILENO, "ready\n", 6);
  std::thread([&all] {
    for (;;)
      for (std::size_t i = 0; i < 4; ++i) all[i]->randomize();
  }).detach();
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  ::_exit(0);
}
