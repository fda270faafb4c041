// Step 6: a hash table that all ranks share. A key names its owner, by the remainder of a division;
// requests go there.
#include <am/team.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace {

using bytes = std::span<const std::byte>;

bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(bytes data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

// From words to texts of up to most_bytes.
class table {
 public:
  static constexpr std::size_t most_bytes = 1024;

  // Collective. The table is the context of its endpoint.
  table(am::endpoint& ep, am::team& all) : ep_(ep), all_(all) {
    ep_.set_context(this);
    all_.barrier();  // no rank sends before every rank has its table
  }
  // After settle(): no other rank uses this part any more.
  ~table() { ep_.set_context(nullptr); }
  table(const table&) = delete;
  table& operator=(const table&) = delete;

  // Does not wait for the owner; settle() does.
  void put(am::word key, const std::string& value) {
    if (value.size() > most_bytes) throw std::length_error("a value has too many bytes");
    ++unanswered_;
    ep_.request<store_value>(owner(key), bytes_of(value), key);
  }

  // Waits for the owner.
  std::optional<std::string> get(am::word key) {
    lookup answer;
    ep_.request<find_value>(owner(key), am::reply_room(most_bytes), key, &answer);
    ep_.wait([&] { return answer.done; });
    return std::move(answer.value);
  }

  // Collective: every rank sees all that was put before.
  void settle() {
    ep_.wait([&] { return unanswered_ == 0; });
    all_.barrier();
  }

  // Collective: how many keys there are at all ranks.
  std::size_t size() { return all_.all_reduce(values_.size(), std::plus<>()); }

 private:
  // A get that waits. Its address travels to the owner and returns with the reply.
  struct lookup {
    std::optional<std::string> value;
    bool done = false;
  };

  [[nodiscard]] am::rank_id owner(am::word key) const {
    return static_cast<am::rank_id>(key % ep_.ranks());
  }

  // At the owner.
  static void store_value(am::request_token t, bytes value, am::word key) {
    t.context<table>()->values_[key] = text_of(value);
    t.reply<stored>();
  }
  static void find_value(am::request_token t, am::word key, lookup* asker) {
    const auto& values = t.context<table>()->values_;
    const auto at = values.find(key);
    if (at == values.end())
      t.reply<missing>(asker);
    else
      t.reply<found>(bytes_of(at->second), asker);
  }

  // At the rank that has asked.
  static void stored(am::reply_token t) { --t.context<table>()->unanswered_; }
  static void missing(am::reply_token, lookup* asker) { asker->done = true; }
  static void found(am::reply_token, bytes value, lookup* asker) {
    asker->value = text_of(value);
    asker->done = true;
  }

  am::endpoint& ep_;
  am::team& all_;
  std::unordered_map<am::word, std::string> values_;  // of the keys that this rank owns
  std::size_t unanswered_ = 0;                        // puts
};

constexpr am::word keys_of_each = 100;

std::string value_of(am::word key) { return "value " + std::to_string(key); }

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  am::team all(ep);
  table shared(ep, all);

  const am::word first = keys_of_each * ep.rank();
  for (am::word key = first; key < first + keys_of_each; ++key) shared.put(key, value_of(key));
  shared.settle();

  // The keys that the next rank has put.
  const am::word others = keys_of_each * ((ep.rank() + 1) % ep.ranks());
  unsigned right = 0;
  for (am::word key = others; key < others + keys_of_each; ++key)
    if (shared.get(key) == value_of(key)) ++right;
  const bool has_more = shared.get(keys_of_each * ep.ranks()).has_value();

  const std::size_t keys = shared.size();
  const unsigned all_right = all.all_reduce(right, std::plus<>());
  if (ep.rank() == 0)
    std::printf("%zu keys at %u ranks, %u read back, %s\n", keys, ep.ranks(), all_right,
                has_more ? "and one too many" : "and no other");
  shared.settle();  // no rank destroys its part before the others have read
} catch (const std::exception& error) {
  std::fprintf(stderr, "step6_hash_table: %s\n", error.what());
  return 1;
}
