// The random communication of NISTIR 4630: no rank depends on a particular other one.
//
// Each rank begins with the same number of items. Where the value of an item says so, the rank
// passes a part of those behind it, of random size, on to a random other rank. While it computes it
// polls now and then, and queues the work that comes. It has a limited number of messages that are
// not acknowledged.
//
// A rank without work sends rank 0 a termination message: the number of items that it has processed
// since the one before. When these are all items, rank 0 ends the work of all.
#include "../../common/nist_program.hpp"

#include <array>
#include <deque>
#include <limits>
#include <numeric>

namespace {

using namespace apps;
using namespace apps::nist;

enum parameter_number { items, length, compute, every, unacknowledged, poll };

// Items are numbered over all ranks; their values are a function of the number.
struct work {
  std::uint64_t first;
  std::uint64_t count;
};

struct transfer {
  work items;
  std::uint64_t number;  // of those that its sender has sent
};

class random_communication {
 public:
  random_communication(job& w, const options& from, std::size_t)
      : w_(w),
        ep_(w.endpoint()),
        from_(from),
        passes_below_(std::numeric_limits<word>::max() / from.parameters[every]),
        queue_{own_items()},
        until_poll_(from.parameters[poll]),
        payload_(from.parameters[length]),
        arrived_payload_(from.parameters[length]) {
    ep_.set_context(this);
  }
  ~random_communication() { ep_.set_context(nullptr); }
  random_communication(const random_communication&) = delete;
  random_communication& operator=(const random_communication&) = delete;

  static std::string refusal(job& w, const options& from) {
    return length_refusal(w, from.parameters[length]);
  }

  void run(phases& times, own_counts&) {
    times.begin("work");
    while (!is_over_) {
      while (!queue_.empty()) {
        const work next = queue_.front();
        queue_.pop_front();
        process(next);
      }
      announce_termination();
      ep_.wait([&] { return is_over_ || !queue_.empty() || is_all_terminated(); });
      if (is_all_terminated()) end_all();
    }
    ep_.wait([&] { return acknowledged_ == is_acknowledged_.size(); });
  }

  // Over all ranks: as much arrived as was sent, and each item was processed once.
  [[nodiscard]] bool check() {
    enum { sent, arrived, passed, received, processed, sum, due_sum, wrong, sums };
    std::array<std::uint64_t, sums> all{};
    all[sent] = is_acknowledged_.size();
    all[arrived] = arrived_;
    all[passed] = passed_items_;
    all[received] = received_items_;
    all[processed] = processed_;
    all[sum] = sum_;
    all[due_sum] = serial_sum();
    all[wrong] = wrong_ + (acknowledged_ == is_acknowledged_.size() ? 0 : 1);
    w_.team().all_reduce(all, std::plus<>());
    return all[sent] == all[arrived] && all[passed] == all[received] &&
           all[processed] == ep_.ranks() * from_.parameters[items] && all[sum] == all[due_sum] &&
           all[wrong] == 0;
  }
  [[nodiscard]] std::vector<named_count> checked() const {
    return {{"items", processed_},
            {"messages", arrived_},
            {"passed_on", received_items_},
            {"acknowledgements", acknowledged_},
            {"terminations", terminations_}};
  }

 private:
  [[nodiscard]] work own_items() const {
    return {ep_.rank() * from_.parameters[items], from_.parameters[items]};
  }
  [[nodiscard]] word value_of(std::uint64_t item) const { return random_word(from_.seed, item); }

  [[nodiscard]] word serial_sum() const {
    const multiplication multiply(from_.parameters[compute]);
    word sum = 0;
    const work own = own_items();
    for (std::uint64_t i = 0; i < own.count; ++i) sum += multiply(value_of(own.first + i), 1);
    return sum;
  }

  // ---- work ----

  void process(work left) {
    while (left.count > 0) {
      const word value = value_of(left.first);
      ++left.first;
      --left.count;
      sum_ += multiplied(value, 1, from_.parameters[compute]);
      ++processed_;
      if (value < passes_below_) pass_on(left, value);
      if (--until_poll_ > 0) continue;
      until_poll_ = from_.parameters[poll];
      ep_.poll();
    }
  }

  // To whom and how many depends on the value alone.
  void pass_on(work& from, word value) {
    if (from.count == 0 || ep_.ranks() == 1) return;
    ep_.wait(
        [&] { return is_acknowledged_.size() - acknowledged_ < from_.parameters[unacknowledged]; });
    const auto step = static_cast<rank_id>(1 + random_word(value, 0) % (ep_.ranks() - 1));
    const std::uint64_t count = 1 + random_word(value, 1) % from.count;
    from.count -= count;
    const transfer one{{from.first + from.count, count}, is_acknowledged_.size()};
    passed_items_ += count;
    is_acknowledged_.push_back(false);
    std::iota(payload_.begin(), payload_.end(), one.items.first);
    ep_.request<receive>((ep_.rank() + step) % ep_.ranks(), std::as_bytes(std::span(payload_)),
                         one);
  }

  static void receive(am::request_token t, std::span<const std::byte> data, transfer one) {
    auto& self = *t.context<random_communication>();
    std::vector<word>& payload = self.arrived_payload_;
    bool is_right = copy_words(data, payload);
    for (std::size_t i = 0; i < payload.size(); ++i)
      is_right = is_right && payload[i] == one.items.first + i;
    if (!is_right) ++self.wrong_;
    ++self.arrived_;
    self.received_items_ += one.items.count;
    self.queue_.push_back(one.items);
    t.reply<acknowledge>(one.number);
  }
  static void acknowledge(am::reply_token t, std::uint64_t number) {
    auto& self = *t.context<random_communication>();
    if (self.is_acknowledged_[number]) ++self.wrong_;
    self.is_acknowledged_[number] = true;
    ++self.acknowledged_;
  }

  // ---- termination ----

  void announce_termination() {
    if (processed_ == announced_) return;
    ep_.request<add_terminated>(0, processed_ - announced_);
    announced_ = processed_;
    ++terminations_;
  }
  static void add_terminated(am::request_token t, std::uint64_t count) {
    t.context<random_communication>()->terminated_items_ += count;
  }
  [[nodiscard]] bool is_all_terminated() const {
    return terminated_items_ >= ep_.ranks() * from_.parameters[items];
  }

  void end_all() {
    is_over_ = true;
    for (rank_id rank = 1; rank < ep_.ranks(); ++rank) ep_.request<end>(rank);
  }
  static void end(am::request_token t) { t.context<random_communication>()->is_over_ = true; }

  job& w_;
  am::endpoint& ep_;
  const options from_;
  const word passes_below_;  // an item of such a value has work passed on
  std::deque<work> queue_;
  std::size_t until_poll_;
  std::vector<word> payload_;
  std::vector<word> arrived_payload_;
  std::vector<bool> is_acknowledged_;  // by the number of the transfer
  std::uint64_t acknowledged_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t passed_items_ = 0;
  std::uint64_t received_items_ = 0;
  std::uint64_t processed_ = 0;
  std::uint64_t announced_ = 0;  // of the items processed
  std::uint64_t terminations_ = 0;
  std::uint64_t terminated_items_ = 0;  // at rank 0
  bool is_over_ = false;
  word sum_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return nist_main<random_communication>(
      {{"rc", 0, 0, 0, "items a rank"},
       "Processes items, and passes random parts of them to random ranks.",
       {"comm", "comp"},
       {{"items", "items with which each rank begins", {320000, 256000}},
        {"length", "words of a message", {128, 128}},
        {"compute", "multiplications for each item", {15, 15}},
        {"every", "items, on the mean, before one has others passed on", {383, 17430}},
        {"unacknowledged", "messages of a rank that are not acknowledged, at most", {4, 4}},
        {"poll", "items between two polls", {128, 128}}}},
      argc, argv);
}
