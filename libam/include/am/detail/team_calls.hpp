// The collectives, in steps. Those that only move data handle bytes; those that combine handle
// values. All ranks of the team call them with equal sizes.
#pragma once

#include <am/team.h>
#include <am/detail/team_step.hpp>

#include <functional>
#include <memory>

namespace am::detail {

/// Down the tree; or, in one piece to a small team, from the root to each, if that is faster here
/// (AM_PROFILE). A reduction always takes the tree, by which its sums are grouped.
inline void team_broadcast(team_state& state, rank_id root, std::span<std::byte> data) {
  const rank_id n = state.ranks();
  const team_tree tree(n, root, state.me);
  const bool flat =
      data.size() <= state.piece() && n <= am_ep_flat_broadcast_ranks(state.ep, data.size());
  for (std::size_t at = 0; at < data.size(); at += state.piece()) {
    const auto part = data.subspan(at, std::min(state.piece(), data.size() - at));
    bound_run_ahead(state, 1, part.size());
    team_step step(state, team_call::broadcast);
    if (state.me != root) {
      step.expect(flat ? root : tree.parent(), part.data(), part.size());
      step.wait_all();
    }
    if (flat) {
      for (rank_id i = 1; i < n && state.me == root; ++i)
        step.send((root + i) % n, part.data(), part.size());
      continue;
    }
    for (const team_child& child : tree.children()) step.send(child.rank, part.data(), part.size());
  }
}

/// Sends from_me(i) to rank i, and receives from it to to_me(i), all of `bytes`. Each rank begins
/// with the rank behind it, so that no rank gets the first message of all others.
template <class FromMe, class ToMe>
void team_exchange(team_state& state, team_call call, std::size_t bytes, FromMe&& from_me,
                   ToMe&& to_me) {
  const rank_id n = state.ranks();
  if (bytes != 0) std::memmove(to_me(state.me), from_me(state.me), bytes);
  for (std::size_t at = 0; at < bytes; at += state.piece()) {
    const std::size_t part = std::min(state.piece(), bytes - at);
    bound_run_ahead(state, n - 1, part);
    team_step step(state, call);
    for (rank_id i = 1; i < n; ++i) {
      const rank_id from = (state.me + n - i) % n;
      step.expect(from, to_me(from) + at, part);
    }
    for (rank_id i = 1; i < n; ++i) {
      const rank_id to = (state.me + i) % n;
      step.send(to, from_me(to) + at, part);
    }
    step.wait_all();
  }
}

// ---- collectives that combine -------------------------------------------------------------------

template <class T>
std::byte* bytes_at(T* values) noexcept {
  return reinterpret_cast<std::byte*>(values);
}

/// Room for the values of one step; allocated at first use.
template <class T>
class team_buffer {
 public:
  team_buffer(const team_state& state, std::size_t values) noexcept
      : size_(std::min(std::max<std::size_t>(1, state.piece() / sizeof(T)), values)) {}
  team_buffer(const team_buffer&) = delete;
  team_buffer& operator=(const team_buffer&) = delete;
  ~team_buffer() {
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

/// values[i] = values[i] op others[i] if the others are `behind`, else others[i] op values[i].
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
void team_reduce(team_state& state, rank_id root, std::span<T> values, Op& op) {
  const team_tree tree(state.ranks(), root, state.me);
  team_buffer<T> others(state, values.size());
  team_buffer<T> sums(state, values.size());
  for (std::size_t at = 0; at < values.size(); at += others.size()) {
    std::span<T> part = values.subspan(at, std::min(others.size(), values.size() - at));
    bound_run_ahead(state, team_rounds(state.ranks()), part.size_bytes());
    team_step step(state, team_call::reduce);
    if (state.me != root && !tree.children().empty()) {
      std::memcpy(bytes_at(sums.at()), part.data(), part.size_bytes());
      part = {sums.at(), part.size()};
    }
    for (auto i = tree.children().size(); i-- > 0;) {
      const team_child child = tree.children()[i];
      step.receive_whole(child.rank, bytes_at(others.at()), part.size_bytes());
      team_combine(part, others.at(), child.behind, op);
    }
    if (state.me != root) step.send_whole(tree.parent(), bytes_at(part.data()), part.size_bytes());
  }
}

/// In place, and the same to the last bit at every rank.
template <class T, class Op>
void team_all_reduce(team_state& state, std::span<T> values, Op& op) {
  team_reduce(state, 0, values, op);
  team_broadcast(state, 0, std::as_writable_bytes(values));
}

/// In place. After round k a rank has combined the 2^(k+1) ranks that end with it.
template <class T, class Op>
void team_scan(team_state& state, std::span<T> values, Op& op) {
  const rank_id n = state.ranks();
  team_buffer<T> others(state, values.size());
  for (std::size_t at = 0; at < values.size(); at += others.size()) {
    const std::span<T> part = values.subspan(at, std::min(others.size(), values.size() - at));
    bound_run_ahead(state, team_rounds(n), part.size_bytes());
    team_step step(state, team_call::scan);
    for (rank_id distance = 1; distance < n; distance *= 2) {
      if (state.me + distance < n)
        step.send_whole(state.me + distance, bytes_at(part.data()), part.size_bytes());
      if (state.me < distance) continue;
      step.receive_whole(state.me - distance, bytes_at(others.at()), part.size_bytes());
      team_combine(part, others.at(), false, op);
    }
  }
}

}  // namespace am::detail
