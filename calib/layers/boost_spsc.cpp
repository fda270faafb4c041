// boost-spsc: boost::lockfree::spsc_queue of 64-byte items in shared memory, one in each direction:
// a ready-made queue, for comparison with libam's own ring. The variants pop by consume_one (one
// item) or by consume_all (all available items).
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

enum class pop_mode { one, all };

template <std::size_t Items, pop_mode How>
class boost_spsc {
 public:
  boost_spsc(queues<Items>& memory) noexcept : out_(memory.out), back_(memory.back) {}

  void post() noexcept {
    const item next{make_message(sent_), {}};
    while (!out_.push(next)) {
    }
    ++sent_;
  }
  void ping() noexcept {
    post();
    while (!back_.consume_one([this](const item& i) { remote_total_ = i.content.words[0]; })) {
    }
  }
  void request() noexcept {
    const item next{make_message(sent_), {}};
    while (!out_.push(next)) read_replies();
    ++sent_;
    ++requested_;
    read_replies();
  }
  void drain() noexcept {
    while (replied_ != requested_) read_replies();
  }
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 50 * Items; }
  [[nodiscard]] bool intact() const noexcept {
    return remote_total_ == sum_of_first(sent_) && replied_ == requested_;
  }

  // consume_all may also pop the ping that follows.
  void serve_posts(std::uint64_t count) noexcept {
    while (popped_ < count) popped_ += pop([this](const item& i) { total_ += sum(i.content); });
    popped_ -= count;
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count) {
      while (popped_ == 0)
        popped_ += out_.consume_one([this](const item& i) { total_ += sum(i.content); }) ? 1 : 0;
      --popped_;
      send_reply();
    }
  }
  void serve_requests(std::uint64_t count) noexcept {
    while (count > 0)
      count -= pop([this](const item& i) {
        total_ += sum(i.content);
        send_reply();
      });
  }

 private:
  template <class Reader>
  std::size_t pop(Reader&& read) noexcept {
    if constexpr (How == pop_mode::all) return out_.consume_all(read);
    return out_.consume_one(read) ? 1 : 0;
  }
  void send_reply() noexcept {
    while (!back_.push(item{{{total_, 0, 0, 0}}, {}})) {
    }
  }
  void read_replies() noexcept {
    replied_ += back_.consume_all([this](const item& i) { remote_total_ = i.content.words[0]; });
  }

  typename queues<Items>::queue& out_;
  typename queues<Items>::queue& back_;
  std::uint64_t sent_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t replied_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;
};

template <pop_mode How, std::size_t Items>
void try_shape(probe_runner& runner, queues<Items>& memory, const char* name) {
  boost_spsc<Items, How> layer(memory);
  runner.rtt(layer, name);
  runner.flood(layer, name);
  runner.rr_flood(layer, name);
}

// One pair of queues per variant.
struct all_queues {
  queues<1024> one, all;
};

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  const auto prepare = [](std::byte* memory) { new (memory) all_queues; };
  const auto run = [&](side mine, std::byte* memory) {
    auto& at = *reinterpret_cast<all_queues*>(memory);
    probe_runner runner(mine, opts);
    try_shape<pop_mode::one>(runner, at.one, "1024,one");
    try_shape<pop_mode::all>(runner, at.all, "1024,all");
  };
  report::note("version", "Boost " BOOST_LIB_VERSION);
  run_pair(sizeof(all_queues), run, prepare);
}
