// The collectives, in steps. Those that only move data know bytes; those that combine know values.
// All of them are called with equal sizes at all ranks of the team.
#pragma once

#include <am/detail/team_step.hpp>

#include <functional>
#include <memory>

namespace am::detail {

inline void team_broadcast(team_place& place, rank_id root, std::span<std::byte> data) {
  const team_tree tree(place.ranks(), root, place.me);
  for (std::size_t at = 0; at < data.size(); at += place.piece()) {
    const auto part = data.subspan(at, std::min(place.piece(), data.size() - at));
    make_room_ahead(place, 1, part.size());
    team_step step(place, team_call::broadcast);
    if (place.me != root) {
      step.expect(tree.parent(), part.data(), part.size());
      step.settle();
    }
    for (const team_child& child : tree.children()) step.send(child.rank, part.data(), part.size());
  }
}

/// Rank i gets what from_me(i) is here, and what it has for me lands at to_me(i); all of `bytes`.
/// Everyone begins with the rank behind it, so that no rank is everyone's next.
template <class FromMe, class ToMe>
void team_exchange(team_place& place, team_call call, std::size_t bytes, FromMe&& from_me,
                   ToMe&& to_me) {
  const rank_id n = place.ranks();
  if (bytes != 0) std::memmove(to_me(place.me), from_me(place.me), bytes);
  for (std::size_t at = 0; at < bytes; at += place.piece()) {
    const std::size_t part = std::min(place.piece(), bytes - at);
    make_room_ahead(place, n - 1, part);
    team_step step(place, call);
    for (rank_id i = 1; i < n; ++i) {
      const rank_id from = (place.me + n - i) % n;
      step.expect(from, to_me(from) + at, part);
    }
    for (rank_id i = 1; i < n; ++i) {
      const rank_id to = (place.me + i) % n;
      step.send(to, from_me(to) + at, part);
    }
    step.settle();
  }
}

// ---- collectives that combine -------------------------------------------------------------------

template <class T>
std::byte* bytes_at(T* values) noexcept {
  return reinterpret_cast<std::byte*>(values);
}

/// Room for values of others, as many as travel together; made when it is first asked for.
template <class T>
class team_room {
 public:
  team_room(const team_place& place, std::size_t values) noexcept
      : size_(std::min(std::max<std::size_t>(1, place.piece() / sizeof(T)), values)) {}
  team_room(const team_room&) = delete;
  team_room& operator=(const team_room&) = delete;
  ~team_room() {
    if (at_ != nullptr) std::allocator<T>().deallocate(at_, size_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* at() {
    if (at_ == nullptr) at_ = std::allocator<T>().allocate(size_);
    return at_;
  }

 private:
  const std::size_t size_;
  T* at_ = nullptr;
};

/// values[i] = values[i] op others[i] if those are `behind`, else others[i] op values[i].
template <class T, class Op>
void team_combine(std::span<T> values, const T* others, bool behind, Op& op) {
  for (T& value : values) {
    const T& other = *others++;
    value = static_cast<T>(behind ? std::invoke(op, std::as_const(value), other)
                                  : std::invoke(op, other, std::as_const(value)));
  }
}

/// In place at the root; elsewhere the values stay as they are.
template <class T, class Op>
void team_reduce(team_place& place, rank_id root, std::span<T> values, Op& op) {
  const team_tree tree(place.ranks(), root, place.me);
  team_room<T> others(place, values.size());
  team_room<T> sums(place, values.size());
  for (std::size_t at = 0; at < values.size(); at += others.size()) {
    std::span<T> part = values.subspan(at, std::min(others.size(), values.size() - at));
    make_room_ahead(place, team_rounds(place.ranks()), part.size_bytes());
    team_step step(place, team_call::reduce);
    if (place.me != root && !tree.children().empty()) {
      std::memcpy(bytes_at(sums.at()), part.data(), part.size_bytes());
      part = {sums.at(), part.size()};
    }
    for (auto i = tree.children().size(); i-- > 0;) {
      const team_child child = tree.children()[i];
      step.receive_whole(child.rank, bytes_at(others.at()), part.size_bytes());
      team_combine(part, others.at(), child.behind, op);
    }
    if (place.me != root) step.send_whole(tree.parent(), bytes_at(part.data()), part.size_bytes());
  }
}

/// In place, and the same to the last bit at every rank.
template <class T, class Op>
void team_all_reduce(team_place& place, std::span<T> values, Op& op) {
  team_reduce(place, 0, values, op);
  team_broadcast(place, 0, std::as_writable_bytes(values));
}

/// In place. After round k a rank has combined the 2^(k+1) ranks that end with it.
template <class T, class Op>
void team_scan(team_place& place, std::span<T> values, Op& op) {
  const rank_id n = place.ranks();
  team_room<T> others(place, values.size());
  for (std::size_t at = 0; at < values.size(); at += others.size()) {
    const std::span<T> part = values.subspan(at, std::min(others.size(), values.size() - at));
    make_room_ahead(place, team_rounds(n), part.size_bytes());
    team_step step(place, team_call::scan);
    for (rank_id distance = 1; distance < n; distance *= 2) {
      if (place.me + distance < n)
        step.send_whole(place.me + distance, bytes_at(part.data()), part.size_bytes());
      if (place.me < distance) continue;
      step.receive_whole(place.me - distance, bytes_at(others.at()), part.size_bytes());
      team_combine(part, others.at(), false, op);
    }
  }
}

}  // namespace am::detail
