/// @file
/// Split-C in C++20, on the calls of am.hpp and team.hpp alone: global pointers and spread arrays,
/// split-phase and one-way access to them.
///
///     am::splitc::world w(argc, argv);
///     auto a = w.spread<double>(1000000);       // a[i] is at rank i % w.ranks()
///     for (auto i : w.mine(a)) a.local(i) = 1;  // those that are at this rank
///     w.barrier();
///     double x = a[17];                         // read: a request and its reply
///     a[18] = x + 1;                            // write
///     double y;
///     w.get(y, a[19]);                          // split-phase: returns at once
///     w.put(a[20], 3.0);
///     w.sync();                                 // y is here, a[20] is there
///     w.store(a[21], 4.0);                      // one way: the receiver counts
///     w.all_store_sync();                       // all stores of all ranks have arrived
///
/// Values are trivially copyable, of any size. Access to memory of this rank itself costs no
/// message. A call that sends also runs handlers, so ranks answer each other; a rank that computes
/// for long should poll. Calls throw am::error; none may be made in a handler.
///
/// Without NDEBUG, or with AM_SPLITC_CHECKS=1, a bad rank, index or address is an am::error that
/// begins with the place in the program, and gets that no sync has completed are reported at exit.
///
/// docs/splitc.md puts the constructs of Split-C beside these, with their cost in messages.
#pragma once

#include <am/detail/splitc_atomic.hpp>
#include <am/detail/splitc_range.hpp>
#include <am/detail/splitc_spread.hpp>

#include <concepts>
#include <limits>

namespace am::detail::splitc {

/// What pointer_to takes, and the type of its element.
template <class Target>
using element_of = std::remove_pointer_t<
    decltype(am::splitc::pointer_to(std::declval<const Target&>()).address())>;
template <class Target>
using value_of = std::remove_const_t<element_of<Target>>;

/// In a checked build: may n elements at this target be accessed?
template <class Target>
void check_target(const Target& target, std::size_t n, place at) {
  if constexpr (is_checked) {
    constexpr std::size_t bytes = sizeof(value_of<Target>);
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / bytes)
      fail_at(at, AM_ARGUMENT_SIZE,
              std::to_string(n) + " elements of " + std::to_string(bytes) + " bytes");
    if constexpr (requires { target.check(at); })
      if (n != 0) target.check(at);
    const auto g = am::splitc::pointer_to(target);
    check_access(g.rank(), g.address(), n * bytes, at);
  }
}

}  // namespace am::detail::splitc

namespace am::splitc {

/// A member of a struct at a global or spread pointer, or at what one of them refers to; its first
/// element, if it is an array: `*member(g, &node::value) = 1`.
template <class Target, class Struct, class T>
requires std::derived_from<detail::splitc::value_of<Target>, Struct>
[[nodiscard]] auto member(const Target& of, T Struct::*which,
                          detail::splitc::place at = detail::splitc::place::here()) {
  detail::splitc::check_target(of, 1, at);
  const auto g = pointer_to(of);
  auto* const there = &(g.address()->*which);
  if constexpr (std::is_array_v<T>)
    return global_ptr<std::remove_pointer_t<std::decay_t<decltype(*there)>>>(g.rank(), *there);
  else
    return global_ptr<std::remove_pointer_t<decltype(there)>>(g.rank(), there);
}

/// This process in a Split-C program. One at a time in a thread, which alone uses it. Its
/// destructor leaves the job, which is collective; spread arrays have to be destroyed before.
class world {
  using place = detail::splitc::place;
  template <class Target>
  using value_of = detail::splitc::value_of<Target>;

 public:
  /// Joins: collective.
  world(int& argc, char**& argv) : world(join(argc, argv)) {}
  /// Of an endpoint that has joined: collective.
  explicit world(am::endpoint joined)
      : state_(std::make_unique<detail::splitc::state>(std::move(joined))) {}

  /// This rank's number: MYPROC.
  [[nodiscard]] rank_id rank() const noexcept { return state_->rank; }
  /// How many ranks there are: PROCS.
  [[nodiscard]] rank_id ranks() const noexcept { return state_->ranks; }
  /// For messages of the program's own.
  [[nodiscard]] am::endpoint& endpoint() noexcept { return state_->ep; }
  /// All ranks, for the other collectives.
  [[nodiscard]] am::team& team() noexcept { return state_->all; }
  /// Runs handlers of messages that have come.
  void poll() { state_->ep.poll(); }

  // ---- memory ----

  /// Collective: an array of n elements of all ranks, all zero. A destroyed one of the same size
  /// leaves it its memory, if that was not large.
  template <class T>
  [[nodiscard]] spread_array<T> spread(std::size_t n) {
    const std::size_t most = std::max<std::size_t>(1, n / ranks() + (n % ranks() != 0 ? 1 : 0));
    if (most > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
      throw error(AM_ARGUMENT_SIZE, "a spread array of this many elements has no room anywhere");
    auto array = state_->spare.take(state_->all, most * sizeof(T));
    if (array == nullptr) array = make_memory(most * sizeof(T));
    array->size = n;
    array->element = sizeof(T);
    return spread_array<T>(std::move(array));
  }
  /// The pointer to memory of this rank, for other ranks.
  template <class T>
  [[nodiscard]] global_ptr<T> global(T* mine) const noexcept {
    return {rank(), mine};
  }

  /// For loops: the indices below n that are this rank's, rank, rank + ranks and so on.
  [[nodiscard]] index_range mine(std::size_t n) const noexcept { return {rank(), n, ranks()}; }
  /// For loops: the indices of a's elements at this rank.
  template <class T>
  [[nodiscard]] index_range mine(const spread_array<T>& a) const noexcept {
    return mine(a.size());
  }
  /// For loops: this rank's elements of a matrix that is dealt row by row.
  [[nodiscard]] index_range_2d mine(std::size_t rows, std::size_t columns) const noexcept {
    return {mine(rows * columns), columns};
  }

  // ---- split-phase: completed by sync() ----

  /// Starts to copy a value to `here`, which is libam's until sync().
  template <class Target>
  void get(value_of<Target>& here, const Target& from, place at = place::here()) {
    const auto g = access(from, 1, at);
    detail::splitc::get_value<sizeof here>(*state_, bytes_of(&here), g.rank(),
                                           bytes_of(g.address()), state_->outstanding);
    detail::splitc::count_unsynced(*state_, at);
  }
  /// Starts to write a value.
  template <class Target>
  void put(const Target& to, const value_of<Target>& value, place at = place::here()) {
    const auto g = access(to, 1, at);
    detail::splitc::put_value<sizeof value>(*state_, g.rank(), bytes_of(g.address()),
                                            bytes_of(&value), state_->outstanding);
    detail::splitc::count_unsynced(*state_, at);
  }
  /// The same of n elements that follow each other at their rank. @{
  template <class Target>
  void bulk_get(value_of<Target>* here, const Target& from, std::size_t n,
                place at = place::here()) {
    const auto g = access(from, n, at);
    detail::splitc::get_bulk(*state_, bytes_of(here), g.rank(), bytes_of(g.address()),
                             n * sizeof *here, state_->outstanding);
    detail::splitc::count_unsynced(*state_, at);
  }
  template <class Target>
  void bulk_put(const Target& to, const value_of<Target>* here, std::size_t n,
                place at = place::here()) {
    const auto g = access(to, n, at);
    detail::splitc::put_bulk(*state_, g.rank(), bytes_of(g.address()), bytes_of(here),
                             n * sizeof *here, state_->outstanding);
    detail::splitc::count_unsynced(*state_, at);
  }
  /// @}
  /// Waits until all gets and puts of this rank have ended.
  void sync() {
    detail::splitc::wait_for_zero(*state_, state_->outstanding);
    state_->unsynced = 0;
    detail::rethrow_posted_exception();
  }

  // ---- one way: counted in bytes at the receiver ----

  /// Writes a value without an answer.
  template <class Target>
  void store(const Target& to, const value_of<Target>& value, place at = place::here()) {
    const auto g = access(to, 1, at);
    detail::splitc::store_value<sizeof value>(*state_, g.rank(), bytes_of(g.address()),
                                              bytes_of(&value));
  }
  /// The same of n elements that follow each other at their rank.
  template <class Target>
  void bulk_store(const Target& to, const value_of<Target>* here, std::size_t n,
                  place at = place::here()) {
    const auto g = access(to, n, at);
    detail::splitc::store_bulk(*state_, g.rank(), bytes_of(g.address()), bytes_of(here),
                               n * sizeof *here);
  }
  /// Waits until stores have brought `bytes` to this rank since the last store_sync or
  /// all_store_sync, and takes these off the count.
  void store_sync(std::size_t bytes) {
    struct expected {
      detail::splitc::state& s;
      std::size_t bytes;
    } stores{*state_, bytes};
    // The difference is right even when the counts have wrapped around.
    const auto are_here = [](void* at) {
      const auto& [s, least] = *static_cast<const expected*>(at);
      return static_cast<std::int64_t>(s.received - s.taken - least) >= 0 ? 1 : 0;
    };
    detail::check(am_ep_wait(state_->ep.raw(), are_here, &stores));
    state_->taken += bytes;
    detail::rethrow_posted_exception();
  }
  /// Collective: waits until all stores of all ranks have arrived. As a barrier, it returns when
  /// every rank has called it.
  void all_store_sync() {
    // No rank sends its next store before the last round. So what has come to this rank before it
    // takes part in that round is all that this call waits for, and no more.
    word received = 0;
    do {
      received = state_->received;
    } while (state_->all.all_reduce(state_->sent - received, std::plus<>()) != 0);
    state_->taken = received;
  }

  // ---- that wait for their answer; so do reading and writing through a reference ----

  /// Copies n elements that follow each other at their rank. @{
  template <class Target>
  void bulk_read(value_of<Target>* here, const Target& from, std::size_t n,
                 place at = place::here()) {
    const auto g = access(from, n, at);
    std::size_t outstanding = 0;
    detail::splitc::get_bulk(*state_, bytes_of(here), g.rank(), bytes_of(g.address()),
                             n * sizeof *here, outstanding);
    detail::splitc::wait_for_zero(*state_, outstanding);
  }
  template <class Target>
  void bulk_write(const Target& to, const value_of<Target>* here, std::size_t n,
                  place at = place::here()) {
    const auto g = access(to, n, at);
    std::size_t outstanding = 0;
    detail::splitc::put_bulk(*state_, g.rank(), bytes_of(g.address()), bytes_of(here),
                             n * sizeof *here, outstanding);
    detail::splitc::wait_for_zero(*state_, outstanding);
  }
  /// @}

  /// Returns Function(element, args…), which runs at the element's rank as a handler: no other
  /// access comes in between. Function is a function or a lambda without captures; it may not do
  /// what a handler may not. Up to two values of at most 8 bytes go there, up to two words come
  /// back.
  /// @{
  template <auto Function, class Target>
  auto atomic(const Target& target, place at = place::here()) {
    return detail::splitc::run_atomic<Function>(*state_, checked(target, 1, at));
  }
  template <auto Function, class Target, class A>
  auto atomic(const Target& target, const A& a, place at = place::here()) {
    return detail::splitc::run_atomic<Function>(*state_, checked(target, 1, at), a);
  }
  template <auto Function, class Target, class A, class B>
  auto atomic(const Target& target, const A& a, const B& b, place at = place::here()) {
    return detail::splitc::run_atomic<Function>(*state_, checked(target, 1, at), a, b);
  }
  /// @}
  /// Adds to a word in one step and returns what it was before. A word has 8 bytes. These three are
  /// atomic with respect to each other alone. @{
  template <class Target>
  value_of<Target> fetch_add(const Target& target, value_of<Target> operand,
                             place at = place::here()) {
    static_assert(std::is_integral_v<value_of<Target>>, "am: fetch_add takes integers");
    return detail::splitc::change_word(*state_, access(target, 1, at), AM_FETCH_ADD, operand);
  }
  /// The same, but puts `desired` there.
  template <class Target>
  value_of<Target> exchange(const Target& target, value_of<Target> desired,
                            place at = place::here()) {
    return detail::splitc::change_word(*state_, access(target, 1, at), AM_EXCHANGE, desired);
  }
  /// The same, but puts `desired` there if the word was `expected`.
  template <class Target>
  value_of<Target> compare_exchange(const Target& target, value_of<Target> expected,
                                    value_of<Target> desired, place at = place::here()) {
    return detail::splitc::change_word(*state_, access(target, 1, at), AM_COMPARE_SWAP, desired,
                                       expected);
  }
  /// @}

  // ---- collectives: those of am::team ----

  /// Returns when every rank has called it. It does not wait for gets, puts or stores.
  void barrier() { state_->all.barrier(); }
  /// The root's value.
  template <class T>
  [[nodiscard]] T broadcast(rank_id root, T value) {
    return state_->all.broadcast(root, value);
  }
  /// At the root all ranks' values combined, elsewhere the caller's own.
  template <class T, class Op>
  T reduce(rank_id root, T value, Op op) {
    return state_->all.reduce(root, value, std::move(op));
  }
  /// All ranks' values combined.
  template <class T, class Op>
  [[nodiscard]] T all_reduce(T value, Op op) {
    return state_->all.all_reduce(value, std::move(op));
  }
  /// The values of ranks 0 to this one combined.
  template <class T, class Op>
  [[nodiscard]] T scan(T value, Op op) {
    return state_->all.scan(value, std::move(op));
  }
  /// Every rank's value, by rank: so ranks exchange pointers to their own memory.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(T value) {
    return state_->all.all_gather(value);
  }

 private:
  // Collective.
  std::unique_ptr<detail::splitc::spread_memory> make_memory(std::size_t bytes) {
    auto array = std::make_unique<detail::splitc::spread_memory>(detail::splitc::spread_memory{
        state_->ep.all_segments(bytes), {}, 0, 0, ranks(), rank(), ++state_->memories});
    for (rank_id r = 0; r < ranks(); ++r)
      array->parts.push_back(static_cast<std::byte*>(array->memory.address_at(r)));
    return array;
  }

  template <class Target>
  static auto checked(const Target& target, std::size_t n, place at) {
    detail::splitc::check_target(target, n, at);
    return pointer_to(target);
  }
  // The same of values that travel.
  template <class Target>
  static auto access(const Target& target, std::size_t n, place at) {
    static_assert(std::is_trivially_copyable_v<value_of<Target>>,
                  "am: what travels must be trivially copyable");
    return checked(target, n, at);
  }
  template <class T>
  static auto* bytes_of(T* values) noexcept {
    using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return reinterpret_cast<byte*>(values);
  }

  std::unique_ptr<detail::splitc::state> state_;
};

}  // namespace am::splitc
