// The matcher against a model that searches lists from their front, with random operations.
#include <am/detail/messages_match.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <list>
#include <random>

namespace messages_match {
namespace {

using namespace am::detail::messages;

struct receive : posted {
  int id = 0;
};
struct message : unexpected {
  int id = 0;
};

// Lists in order, searched from the front.
class model {
 public:
  void post(const receive& one) { posted_.push_back(&one); }
  void withdraw(const receive& one) { std::erase(posted_, &one); }
  const receive* take_posted(am_rank source, std::int32_t tag) {
    const auto at = std::ranges::find_if(posted_, [&](const receive* r) {
      return (r->from == any_source || r->from == source) && (r->with == any_tag || r->with == tag);
    });
    if (at == posted_.end()) return nullptr;
    const receive* const found = *at;
    posted_.erase(at);
    return found;
  }
  void keep(const message& one) { kept_.push_back(&one); }
  void release(const message& one) { std::erase(kept_, &one); }
  const message* find_kept(const posted& by) const {
    for (const message* one : kept_)
      if (by.takes(one->source, one->tag)) return one;
    return nullptr;
  }
  [[nodiscard]] const std::deque<const receive*>& waiting() const { return posted_; }
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }

 private:
  std::deque<const receive*> posted_;
  std::deque<const message*> kept_;
};

class pair_of_both {
 public:
  explicit pair_of_both(unsigned seed) : random_(seed) {}

  // One random operation on both; false: they differ.
  bool step(unsigned sources, unsigned tags) {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2: return receive_one(pick(sources, any_source), pick_tag(tags));
      case 3: return receive_one(static_cast<am_rank>(random_() % sources), tag(tags));
      case 4:
      case 5:
      case 6: return arrive(static_cast<am_rank>(random_() % sources), tag(tags));
      default: return cancel();
    }
  }
  // Everything of one source goes, as at its death.
  bool retire(am_rank source) {
    std::vector<const receive*> found, expected;
    for (const receive* one : model_.waiting())
      if (one->from == source) expected.push_back(one);
    real_.withdraw_from(source, [&](posted& one) { found.push_back(static_cast<receive*>(&one)); });
    for (const receive* one : expected) model_.withdraw(*one);
    std::ranges::sort(found);
    std::ranges::sort(expected);
    return found == expected;
  }

 private:
  std::int32_t tag(unsigned tags) { return static_cast<std::int32_t>(random_() % tags); }
  am_rank pick(unsigned sources, am_rank any) {
    return random_() % 3 == 0 ? any : static_cast<am_rank>(random_() % sources);
  }
  std::int32_t pick_tag(unsigned tags) { return random_() % 3 == 0 ? any_tag : tag(tags); }

  bool receive_one(am_rank from, std::int32_t with) {
    receive& one = receives_.emplace_back();
    one.from = from;
    one.with = with;
    unexpected* const found = real_.find_kept(one);
    const message* const expected = model_.find_kept(one);
    if (found != expected) return false;
    if (found == nullptr) {
      real_.post(one);
      model_.post(one);
    } else {
      real_.release(*found);
      model_.release(*expected);
    }
    return true;
  }
  bool arrive(am_rank source, std::int32_t with) {
    posted* const found = real_.take_posted(source, with);
    if (found != model_.take_posted(source, with)) return false;
    if (found != nullptr) return true;
    message& one = messages_.emplace_back();
    one.source = source;
    one.tag = with;
    real_.keep(one);
    model_.keep(one);
    return true;
  }
  bool cancel() {
    if (model_.waiting().empty()) return true;
    const receive& one = *model_.waiting()[random_() % model_.waiting().size()];
    model_.withdraw(one);
    real_.withdraw(const_cast<receive&>(one));
    return true;
  }

  std::mt19937 random_;
  matcher real_;
  model model_;
  std::list<receive> receives_;
  std::list<message> messages_;
};

TEST_CASE("a million random operations match as in a model that searches from the front") {
  const bool is_long = std::getenv("LIBAM_TEST_LONG") != nullptr;
  struct shape {
    unsigned sources, tags;
  };
  for (const shape& of : {shape{1, 1}, shape{2, 3}, shape{5, 20}, shape{40, 200}}) {
    pair_of_both both(of.sources);
    const unsigned steps = is_long ? 2'500'000 : 250'000;
    bool equal = true;
    for (unsigned i = 0; i < steps && equal; ++i) {
      equal = both.step(of.sources, of.tags);
      if (i % 5000 == 4999) equal = equal && both.retire(i / 5000 % of.sources);
    }
    CHECK(equal);
  }
}

TEST_CASE("a queue gives the entries of each key in their order, also when some are removed") {
  keyed_queues<unexpected> queues;
  std::list<message> all;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t key = 0; key < 1000; ++key) {
      message& one = all.emplace_back();
      one.key = key;
      one.id = round;
      queues.add(one);
    }
  }
  // The middle one of even keys.
  for (message& one : all)
    if (one.id == 1 && one.key % 2 == 0) queues.remove(one);
  std::size_t visited = 0;
  queues.each([&](unexpected&) { ++visited; });
  CHECK(visited == 2500);
  for (std::uint64_t key = 0; key < 1000; ++key) {
    for (const int id : {0, 1, 2}) {
      if (id == 1 && key % 2 == 0) continue;
      unexpected* const first = queues.first(key);
      REQUIRE(first != nullptr);
      CHECK(static_cast<message*>(first)->id == id);
      queues.remove(*first);
    }
    CHECK(queues.first(key) == nullptr);
  }
}

}  // namespace
}  // namespace messages_match
