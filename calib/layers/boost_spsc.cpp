// boost-spsc: boost::lockfree::spsc_queue of 64-byte items in shared memory, one each way; what a
// ready-made queue costs where libam has a ring of its own. Popped by consume_one (at once) or
// consume_all (all that is there), whichever is faster.
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/version.hpp>

#include <new>

namespace {

using namespace calib;

struct item {
  message content;
  std::uint64_t rest[4];
};
static_assert(sizeof(item) == 64);

template <std::size_t Items>
struct queues {
  using queue = boost::lockfree::spsc_queue<item, boost::lockfree::capacity<Items>>;
  alignas(128) queue out;
  alignas(128) queue back;
};

enum class taking { one, all };

template <std::size_t Items, taking How>
class boost_spsc {
 public:
  boost_spsc(queues<Items>& memory) noexcept : out_(memory.out), back_(memory.back) {}

  void post() noexcept {
    const item next{numbered(sent_), {}};
    while (!out_.push(next)) {
    }
    ++sent_;
  }
  void ping() noexcept {
    post();
    while (!back_.consume_one([this](const item& i) { total_there_ = i.content.words[0]; })) {
    }
  }
  void ask() noexcept {
    const item next{numbered(sent_), {}};
    while (!out_.push(next)) collect();
    ++sent_;
    ++asked_;
    collect();
  }
  void drain() noexcept {
    while (answered_ != asked_) collect();
  }
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 50 * Items; }
  [[nodiscard]] bool intact() const noexcept {
    return total_there_ == sum_of_first(sent_) && answered_ == asked_;
  }

  // Everything that is there is taken: maybe the ping that follows, too.
  void serve_posts(std::uint64_t count) noexcept {
    while (taken_ < count) taken_ += take([this](const item& i) { total_ += sum(i.content); });
    taken_ -= count;
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count) {
      while (taken_ == 0)
        taken_ += out_.consume_one([this](const item& i) { total_ += sum(i.content); }) ? 1 : 0;
      --taken_;
      answer();
    }
  }
  void serve_asks(std::uint64_t count) noexcept {
    while (count > 0)
      count -= take([this](const item& i) {
        total_ += sum(i.content);
        answer();
      });
  }

 private:
  template <class Reader>
  std::size_t take(Reader&& read) noexcept {
    if constexpr (How == taking::all) return out_.consume_all(read);
    return out_.consume_one(read) ? 1 : 0;
  }
  void answer() noexcept {
    while (!back_.push(item{{{total_, 0, 0, 0}}, {}})) {
    }
  }
  void collect() noexcept {
    answered_ += back_.consume_all([this](const item& i) { total_there_ = i.content.words[0]; });
  }

  typename queues<Items>::queue& out_;
  typename queues<Items>::queue& back_;
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t total_there_ = 0;
};

template <taking How, std::size_t Items>
void try_shape(script& play, queues<Items>& memory, const char* name) {
  boost_spsc<Items, How> layer(memory);
  play.rtt(layer, name);
  play.flood(layer, name);
  play.rr_flood(layer, name);
}

// One pair of queues for each shape that is tried.
struct all_queues {
  queues<1024> one, all;
};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const auto prepare = [](std::byte* memory) { new (memory) all_queues; };
  const auto play = [&](side mine, std::byte* memory) {
    auto& at = *reinterpret_cast<all_queues*>(memory);
    script play_as(mine, from);
    try_shape<taking::one>(play_as, at.one, "1024,one");
    try_shape<taking::all>(play_as, at.all, "1024,all");
  };
  report::note("version", "Boost " BOOST_LIB_VERSION);
  as_pair(sizeof(all_queues), play, prepare);
}
