// Matches messages with receives in MPI's order: a message with the earliest receive posted that
// takes it, a receive with the earliest message come that it takes. Knows nothing of endpoints.
//
// A receive with a source and a tag waits in a queue of these two, one with a wildcard in a list;
// both have the number of their post, so that the earlier one of the two is known. A message that
// has come before its receive is in a queue of its source and tag and in a list of all, in the
// order of arrival, where receives with wildcards look for it.
#pragma once

#include <am/types.h>
#include <am/detail/messages_queue.hpp>

#include <cstdint>

namespace am::detail::messages {

inline constexpr std::int32_t any_tag = -1;
inline constexpr am_rank any_source = ~am_rank{0};

[[nodiscard]] constexpr std::uint64_t key_of(am_rank source, std::int32_t tag) noexcept {
  return (std::uint64_t{source} << 32) | static_cast<std::uint32_t>(tag);
}

/// A list in order, of entries that derive from list_links<Entry>.
template <class Entry>
struct list_links {
  Entry* before = nullptr;
  Entry* after = nullptr;
};
template <class Entry>
class ordered_list {
 public:
  [[nodiscard]] Entry* first() const noexcept { return first_; }
  static Entry* after(const Entry& one) noexcept { return one.list_links<Entry>::after; }

  void add(Entry& one) noexcept {
    list_links<Entry>& links = one;
    links = {last_, nullptr};
    (last_ == nullptr ? first_ : links_of(*last_).after) = &one;
    last_ = &one;
  }
  void add_front(Entry& one) noexcept {
    list_links<Entry>& links = one;
    links = {nullptr, first_};
    (first_ == nullptr ? last_ : links_of(*first_).before) = &one;
    first_ = &one;
  }
  void remove(Entry& one) noexcept {
    const list_links<Entry> links = one;
    (links.before == nullptr ? first_ : links_of(*links.before).after) = links.after;
    (links.after == nullptr ? last_ : links_of(*links.after).before) = links.before;
  }

 private:
  static list_links<Entry>& links_of(Entry& one) noexcept { return one; }

  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
};

/// A receive that waits for its message.
struct posted : queue_links<posted>, list_links<posted> {
  am_rank from = any_source;
  std::int32_t with = any_tag;
  std::uint64_t number = 0;  // in the order of posts

  [[nodiscard]] bool has_wildcard() const noexcept { return from == any_source || with == any_tag; }
  [[nodiscard]] bool takes(am_rank source, std::int32_t tag) const noexcept {
    return (from == any_source || from == source) && (with == any_tag || with == tag);
  }
};

/// A message that waits for its receive.
struct unexpected : queue_links<unexpected>, list_links<unexpected> {
  am_rank source = 0;
  std::int32_t tag = 0;
};

class matcher {
 public:
  void post(posted& one) {
    one.number = posts_++;
    if (one.has_wildcard()) return wild_.add(one);
    one.key = key_of(one.from, one.with);
    exact_.add(one);
  }
  void withdraw(posted& one) noexcept {
    if (one.has_wildcard())
      wild_.remove(one);
    else
      exact_.remove(one);
  }
  /// The receive for a message, withdrawn; null: none waits for it.
  [[nodiscard]] posted* take_posted(am_rank source, std::int32_t tag) noexcept {
    posted* found = exact_.first(key_of(source, tag));
    for (posted* one = wild_.first(); one != nullptr; one = ordered_list<posted>::after(*one)) {
      if (found != nullptr && found->number < one->number) break;
      if (!one->takes(source, tag)) continue;
      found = one;
      break;
    }
    if (found != nullptr) withdraw(*found);
    return found;
  }

  void keep(unexpected& one) {
    one.key = key_of(one.source, one.tag);
    kept_.add(one);
    in_order_.add(one);
  }
  void release(unexpected& one) noexcept {
    kept_.remove(one);
    in_order_.remove(one);
  }
  /// The message for a receive, which stays; null: none has come.
  [[nodiscard]] unexpected* find_kept(const posted& by) const noexcept {
    if (!by.has_wildcard()) return kept_.first(key_of(by.from, by.with));
    unexpected* one = in_order_.first();
    while (one != nullptr && !by.takes(one->source, one->tag))
      one = ordered_list<unexpected>::after(*one);
    return one;
  }

  /// Withdraws every receive from that source alone, and visits it.
  template <class Visit>
  void withdraw_from(am_rank source, Visit&& visit) {
    const auto end = [&](posted& one) {
      if (one.from != source) return;
      withdraw(one);
      visit(one);
    };
    exact_.each(end);
    each(wild_, end);
  }
  /// Withdraws every receive, and visits it.
  template <class Visit>
  void withdraw_all(Visit&& visit) {
    const auto end = [&](posted& one) {
      withdraw(one);
      visit(one);
    };
    exact_.each(end);
    each(wild_, end);
  }
  /// Every message kept; `visit` may release the one that it gets.
  template <class Visit>
  void each_kept(Visit&& visit) {
    each(in_order_, visit);
  }

 private:
  template <class Entry, class Visit>
  static void each(const ordered_list<Entry>& list, Visit&& visit) {
    for (Entry* one = list.first(); one != nullptr;) {
      Entry* const next = ordered_list<Entry>::after(*one);
      visit(*one);
      one = next;
    }
  }

  keyed_queues<posted> exact_;
  ordered_list<posted> wild_;
  keyed_queues<unexpected> kept_;
  ordered_list<unexpected> in_order_;
  std::uint64_t posts_ = 0;
};

}  // namespace am::detail::messages
