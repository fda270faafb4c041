/// @file
/// Teams and their collectives, on the calls of am.hpp alone.
///
///     am::team all(ep);
///     const double sum = all.all_reduce(mine, std::plus<>());
///     am::team row = all.split(int(all.rank()) / columns);
///     row.broadcast(0, values);  // of a vector, an array, a span: all its elements, in place
///
/// All ranks of a team make the same collective calls on it, in the same order and with equal
/// sizes; calls on different teams do not mix. A collective returns when this rank has done its
/// part; only barrier() promises that every rank has called it. While it waits, it runs handlers.
/// docs/collectives.md has the cost of each and how far a rank may run ahead.
///
/// Values are trivially copyable; there may be any number of them, or none. An operation is called
/// as op(earlier, later) and has to be associative. It need not be commutative: reductions and
/// scans combine the ranks' values in the order of the ranks, always grouped in the same way for
/// the same number of ranks and root. It must not throw, nor call a collective.
///
/// Only its endpoint's owner may use and destroy a team. A collective in a handler is
/// usage(in_handler). If ranks turn out to have made different calls, all their collectives on the
/// team throw am::error argument(size) from then on. After the death of a member every collective
/// is peer(dead).
#pragma once

#include <am/clock.hpp>
#include <am/detail/clock_learn.hpp>
#include <am/detail/team_calls.hpp>

namespace am {

namespace detail {

// Anything that std::span accepts: a vector, an array, a span.
template <class Array>
concept team_span = requires(Array& values) {
  std::span(values);
};
template <class Array>
using team_element = typename decltype(std::span(std::declval<Array&>()))::element_type;

template <class T>
concept team_value = std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
                     !std::is_pointer_v<T> && !team_span<T>;
template <class Array>
concept team_array = team_span<Array> && team_value<team_element<Array>>;
template <class Array, class T>
concept team_array_of = team_span<Array> && team_value<T> &&
    std::is_same_v<std::remove_const_t<team_element<Array>>, T>;

// The handlers of the teams that this file makes.
inline constexpr team_handlers handlers_of_file{&entry_of<deliver_team_small>::entry,
                                                &entry_of<deliver_team_piece>::entry};

template <class Op, class T>
concept team_operation = std::is_invocable_r_v<T, Op&, const T&, const T&>;

}  // namespace detail

/// Some ranks of a job, or all, numbered anew, and their collectives.
class team {
 public:
  /// All ranks of the job, with the same numbers. Collective: returns when every rank has called
  /// it. The team may be used until the endpoint leaves.
  explicit team(const endpoint& ep) : state_(make_whole(ep.raw())) { barrier(); }

  /// The team of all ranks that give the same color, in the order of key and then of the ranks
  /// here. Collective.
  [[nodiscard]] team split(int color, int key = 0);

  /// This rank's place in the team.
  [[nodiscard]] rank_id rank() const noexcept { return state_->me; }
  /// How many ranks it has.
  [[nodiscard]] rank_id ranks() const noexcept { return state_->ranks(); }
  /// The endpoint that it is of, for the C interface.
  [[nodiscard]] am_ep* endpoint() const noexcept { return state_->ep; }
  /// The rank in the job, to which requests go, of rank i of the team.
  [[nodiscard]] rank_id job_rank(rank_id i) const {
    check_rank("job_rank", i);
    return state_->members[i];
  }

  /// Returns when every rank has called it.
  void barrier() {
    begin();
    detail::team_barrier(*state_);
    finish("barrier", 0);
  }

  /// Copies the root's values to every rank.
  template <detail::team_array Array>
  void broadcast(rank_id root, Array&& values) {
    begin();
    check_rank("broadcast", root);
    detail::team_broadcast(*state_, root, std::as_writable_bytes(std::span(values)));
    finish("broadcast", std::span(values).size_bytes());
  }
  /// The same of one value.
  template <detail::team_value T>
  [[nodiscard]] T broadcast(rank_id root, T value) {
    broadcast(root, std::span(&value, 1));
    return value;
  }

  /// Combines all ranks' values, element by element, in place at the root; elsewhere they stay.
  template <detail::team_array Array, detail::team_operation<detail::team_element<Array>> Op>
  void reduce(rank_id root, Array&& values, Op op) {
    begin();
    check_rank("reduce", root);
    detail::team_reduce(*state_, root, dynamic(values), op);
    finish("reduce", std::span(values).size_bytes());
  }
  /// Returns at the root all ranks' values combined, elsewhere the caller's own.
  template <detail::team_value T, detail::team_operation<T> Op>
  T reduce(rank_id root, T value, Op op) {
    reduce(root, std::span(&value, 1), std::move(op));
    return value;
  }

  /// Combines all ranks' values in place; the result is the same to the last bit at every rank.
  template <detail::team_array Array, detail::team_operation<detail::team_element<Array>> Op>
  void all_reduce(Array&& values, Op op) {
    begin();
    detail::team_all_reduce(*state_, dynamic(values), op);
    finish("all_reduce", std::span(values).size_bytes());
  }
  /// The same of one value.
  template <detail::team_value T, detail::team_operation<T> Op>
  [[nodiscard]] T all_reduce(T value, Op op) {
    all_reduce(std::span(&value, 1), std::move(op));
    return value;
  }

  /// Combines the values of ranks 0 to this one, in place.
  template <detail::team_array Array, detail::team_operation<detail::team_element<Array>> Op>
  void scan(Array&& values, Op op) {
    begin();
    detail::team_scan(*state_, dynamic(values), op);
    finish("scan", std::span(values).size_bytes());
  }
  /// The same of one value.
  template <detail::team_value T, detail::team_operation<T> Op>
  [[nodiscard]] T scan(T value, Op op) {
    scan(std::span(&value, 1), std::move(op));
    return value;
  }

  /// Puts every rank's values into `all`, by rank. `mine` may be in its place in `all` already.
  template <detail::team_array All, detail::team_array_of<detail::team_element<All>> Mine>
  void all_gather(Mine&& mine, All&& all) {
    const std::span part(mine);
    const std::span room(all);
    begin();
    check_size("all_gather", room.size(), part.size());
    const std::byte* from = std::as_bytes(part).data();
    std::byte* to = detail::bytes_at(room.data());
    const std::size_t bytes = part.size_bytes();
    detail::team_exchange(
        *state_, detail::team_call::all_gather, bytes, [&](rank_id) { return from; },
        [&](rank_id i) { return to + i * bytes; });
    finish("all_gather", bytes);
  }
  /// The same of one value.
  template <detail::team_value T>
  [[nodiscard]] std::vector<T> all_gather(T value) {
    static_assert(!std::is_same_v<T, bool>, "am: std::vector<bool> is no array: gather chars");
    std::vector<T> all(ranks(), value);
    all_gather(std::span(&value, 1), all);
    return all;
  }

  /// Both arrays have one part for each rank, all of equal size: part i of `out` goes to rank i,
  /// and the part that comes from there becomes part i of `in`. The two do not overlap.
  template <detail::team_array In, detail::team_array_of<detail::team_element<In>> Out>
  void all_to_all(Out&& out, In&& in) {
    const std::span parts(out);
    const std::span room(in);
    begin();
    check_size("all_to_all", room.size(), parts.size() / ranks());
    check_size("all_to_all", parts.size(), room.size() / ranks());
    const std::byte* from = std::as_bytes(parts).data();
    std::byte* to = detail::bytes_at(room.data());
    const std::size_t bytes = parts.size_bytes() / ranks();
    detail::team_exchange(
        *state_, detail::team_call::all_to_all, bytes, [&](rank_id i) { return from + i * bytes; },
        [&](rank_id i) { return to + i * bytes; });
    finish("all_to_all", parts.size_bytes());
  }

  /// One time for all ranks, that of rank 0's `local`: learnt by messages, or, where all ranks read
  /// one counter, only proved by them. Collective: returns when every rank has it. docs/clock.md.
  template <class Source = clock>
  [[nodiscard]] basic_global_clock<Source> global_clock(const Source& local = Source()) {
    barrier();  // no rank is still pinging for the clock before
    return detail::learn_anew(*this, endpoint(), state_->team, local);
  }
  /// Measures again: makes the bound of the last global_clock() smaller, and finds clocks that have
  /// been set. Not collective: this rank waits for one other, which need only poll.
  template <class Source>
  void refresh(basic_global_clock<Source>& clock) {
    detail::check_team_call(endpoint());
    detail::clock_sync_of<Source>(endpoint(), state_->team).refresh(clock);
  }

  /// The cost of this team at this rank so far.
  [[nodiscard]] const team_counts& counts() const noexcept { return state_->channel.counts; }

 private:
  explicit team(std::unique_ptr<detail::team_state> place) : state_(std::move(place)) {}

  static std::unique_ptr<detail::team_state> make_whole(am_ep* ep) {
    detail::check_team_call(ep);
    std::vector<rank_id> all = detail::team_of_all(ep);
    return std::make_unique<detail::team_state>(ep, detail::handlers_of_file,
                                                detail::team_registry_of(ep).next_whole_number(),
                                                std::move(all), am_ep_rank(ep));
  }

  template <class Array>
  static std::span<detail::team_element<Array>> dynamic(Array& values) {
    return values;
  }
  void begin() { detail::team_begin(*state_); }
  void finish(const char* call, std::size_t bytes) { detail::team_finish(*state_, call, bytes); }

  void check_rank(const char* call, rank_id rank) const {
    if (rank < ranks()) return;
    const auto line = std::string(call) + " with rank " + std::to_string(rank) +
                      ": this team has ranks 0 to " + std::to_string(ranks() - 1);
    throw error(AM_ARGUMENT_RANK, line.c_str());
  }
  void check_size(const char* call, std::size_t values, std::size_t for_each) const {
    if (values == for_each * ranks()) return;
    const auto line = std::string(call) + " with room for " + std::to_string(values) +
                      " values: " + std::to_string(ranks()) + " ranks have " +
                      std::to_string(for_each) + " each";
    throw error(AM_ARGUMENT_SIZE, line.c_str());
  }

  std::unique_ptr<detail::team_state> state_;
};

inline team team::split(int color, int key) {
  struct choice {
    int color;
    int key;
    std::uint32_t next;
    rank_id rank;
  };
  auto all = all_gather(choice{color, key, state_->registry.next_part(), rank()});
  // All teams of this split have one number, new at every rank here: each rank is in one of them.
  std::uint32_t number = 0;
  for (const choice& c : all) number = std::max(number, c.next);
  state_->registry.mark_part_used(number);

  std::erase_if(all, [&](const choice& c) { return c.color != color; });
  std::stable_sort(all.begin(), all.end(),
                   [](const choice& a, const choice& b) { return a.key < b.key; });
  std::vector<rank_id> members;
  rank_id me = 0;
  for (const choice& c : all) {
    if (c.rank == rank()) me = static_cast<rank_id>(members.size());
    members.push_back(job_rank(c.rank));
  }
  return team(std::make_unique<detail::team_state>(state_->ep, detail::handlers_of_file, number,
                                                   std::move(members), me));
}

}  // namespace am
