// First-in, first-out queues by key, for matching: what waits for a message, and what has come, by
// source and tag. Each call takes constant time, whatever the number of keys and of entries, except
// that the table doubles from time to time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace am::detail::messages {

/// What Entry has to derive from to be in a keyed_queues<Entry>.
///
/// The first entry of a key is in the chain of its bucket and knows the last one; the others are
/// linked behind it.
template <class Entry>
struct queue_links {
  std::uint64_t key = 0;
  Entry* behind = nullptr;     // of the same key
  Entry* ahead = nullptr;      // of the same key; null: this one is the first
  Entry* last = nullptr;       // of the same key, if this is the first
  Entry* in_bucket = nullptr;  // the next key's first, if this is the first
};

template <class Entry>
class keyed_queues {
 public:
  /// The first of this key, or null.
  [[nodiscard]] Entry* first(std::uint64_t key) const noexcept {
    if (keys_ == 0) return nullptr;
    Entry* at = buckets_[bucket_of(key)];
    while (at != nullptr && at->key != key) at = at->in_bucket;
    return at;
  }

  /// Behind all others of its key, which it has already.
  void add(Entry& one) {
    Entry* const head = first(one.key);
    one.behind = one.in_bucket = nullptr;
    if (head == nullptr) return add_key(one);
    one.ahead = head->last;
    head->last->behind = &one;
    head->last = &one;
  }

  void remove(Entry& one) noexcept {
    if (one.ahead == nullptr) return remove_first(one);
    one.ahead->behind = one.behind;
    if (one.behind != nullptr)
      one.behind->ahead = one.ahead;
    else
      first(one.key)->last = one.ahead;
  }

  /// Every entry; `visit` may remove the one that it gets, and no other.
  template <class Visit>
  void each(Visit&& visit) {
    for (Entry* head : buckets_) {
      while (head != nullptr) {
        Entry* const next_key = head->in_bucket;
        for (Entry* one = head; one != nullptr;) {
          Entry* const behind = one->behind;
          visit(*one);
          one = behind;
        }
        head = next_key;
      }
    }
  }

 private:
  static constexpr unsigned least_bits = 6;

  [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>((key * golden) >> (64 - bits_));
  }
  void add_key(Entry& one) {
    if (keys_ == buckets_.size()) grow();
    one.ahead = nullptr;
    one.last = &one;
    Entry*& bucket = buckets_[bucket_of(one.key)];
    one.in_bucket = bucket;
    bucket = &one;
    ++keys_;
  }
  void remove_first(Entry& one) noexcept {
    Entry** at = &buckets_[bucket_of(one.key)];
    while (*at != &one) at = &(*at)->in_bucket;
    Entry* const next = one.behind;
    if (next == nullptr) {
      *at = one.in_bucket;
      --keys_;
      return;
    }
    next->ahead = nullptr;
    next->last = one.last;
    next->in_bucket = one.in_bucket;
    *at = next;
  }
  void grow() {
    const std::vector<Entry*> before = std::move(buckets_);
    bits_ = before.empty() ? least_bits : bits_ + 1;
    buckets_.assign(std::size_t{1} << bits_, nullptr);
    for (Entry* at : before) {
      while (at != nullptr) {
        Entry* const next = at->in_bucket;
        Entry*& bucket = buckets_[bucket_of(at->key)];
        at->in_bucket = bucket;
        bucket = at;
        at = next;
      }
    }
  }

  std::vector<Entry*> buckets_;
  unsigned bits_ = 0;
  std::size_t keys_ = 0;
};

}  // namespace am::detail::messages
