// AM_PROGRESS=thread: a thread of libam's owns the endpoint from the first mailbox to the last, and
// sleeps as AM_WAIT allows. Other threads hand it their calls, and wait for what these bring about.
#pragma once

#include <am/detail/messages_round.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace am::detail::messages {

/// Posts fn(arg), waiting for a place in the queue.
inline void post_surely(am_ep* ep, void (*fn)(void* arg), void* arg) noexcept {
  while (am_ep_post(ep, fn, arg) == AM_AGAIN_QUEUE) std::this_thread::yield();
}

/// The thread makes it between two waits rather than in a posted function: so it may wait, and the
/// rounds of mailboxes go on meanwhile.
template <class Call>
class handed_call : private handed {
 public:
  explicit handed_call(Call& call) noexcept : handed{&handed_call::run}, call_(call) {}

  /// Returns when it has been made, with its result or what it has thrown.
  std::invoke_result_t<Call&> make(mailbox_registry& all) {
    all.thread->add(*this);
    post_surely(
        all.ep, [](void*) {}, nullptr);  // wakes it
    // SYNC(call): with the release in run.
    is_made_.wait(0, std::memory_order_acquire);
    if (thrown_) std::rethrow_exception(thrown_);
    if constexpr (!is_void) return std::move(*result_);
  }

 private:
  static constexpr bool is_void = std::is_void_v<std::invoke_result_t<Call&>>;
  struct nothing {};
  using result = std::conditional_t<is_void, nothing, std::invoke_result_t<Call&>>;

  static void run(handed& self) noexcept {
    auto& one = static_cast<handed_call&>(self);
    try {
      if constexpr (is_void)
        one.call_();
      else
        one.result_.emplace(one.call_());
    } catch (...) {
      one.thrown_ = std::current_exception();
    }
    // SYNC(call): with the acquire in make. The other thread may return before notify_one, which
    // uses the address alone.
    one.is_made_.store(1, std::memory_order_release);
    one.is_made_.notify_one();
  }

  Call& call_;
  std::optional<result> result_;
  std::exception_ptr thrown_;
  std::atomic<std::uint32_t> is_made_ = 0;
};

[[nodiscard]] inline bool is_owner(const mailbox_registry& all) noexcept {
  return all.thread == nullptr || all.thread->id == std::this_thread::get_id();
}
/// Makes the call on the thread that owns the endpoint.
template <class Call>
auto on_owner(mailbox_registry& all, Call&& call) -> std::invoke_result_t<Call&> {
  if (is_owner(all)) [[likely]]
    return call();
  return handed_call<std::remove_reference_t<Call>>(call).make(all);
}

/// Waits until done(), from another thread than the owner.
template <class Done>
void wait_for_event(progress_thread& thread, Done&& done) {
  for (;;) {
    // SYNC(event): with the release in progress_thread::note_event.
    const std::uint32_t before = thread.events.load(std::memory_order_acquire);
    if (done()) return;
    thread.events.wait(before, std::memory_order_acquire);
  }
}
/// The same from any thread.
template <class Done>
void wait_anywhere(mailbox_state& at, Done&& done) {
  if (is_owner(at.registry)) [[likely]]
    return wait_until(at, done);
  wait_for_event(*at.registry.thread, done);
}

/// An operation whose result has been read.
inline void return_operation(operation& one) {
  mailbox_registry& all = one.of->registry;
  if (is_owner(all)) [[likely]]
    return free_operation(one);
  post_surely(
      all.ep, [](void* returned) { free_operation(*static_cast<operation*>(returned)); }, &one);
}

// ---- the thread ---------------------------------------------------------------------------------

inline int make_round_of_thread(void* of) noexcept {
  auto& all = *static_cast<mailbox_registry*>(of);
  make_round(all);
  find_deaths(all);
  return all.thread->stops || all.thread->has_calls() ? 1 : 0;
}
inline void run_thread(mailbox_registry& all) noexcept {
  progress_thread& self = *all.thread;
  self.id = std::this_thread::get_id();
  (void)am_ep_adopt(all.ep);
  // SYNC(owner): with the acquire in start_thread.
  self.owns.store(true, std::memory_order_release);
  self.owns.notify_one();
  while (!self.stops) {
    ++all.waits;
    const am_status status = am_ep_wait(all.ep, &make_round_of_thread, &all);
    --all.waits;
    if (status != am_status{}) return;  // a handed call has closed the endpoint
    if (all.has_work) note_work(all);   // a call may wait
    self.make_calls();
  }
}
/// The calling thread owns the endpoint, and is in no other call of it.
inline void start_thread(mailbox_registry& all) {
  all.thread = std::make_unique<progress_thread>();
  try {
    all.thread->runs = std::thread([&all] { run_thread(all); });
  } catch (...) {
    all.thread.reset();
    throw;
  }
  // SYNC(owner): with the release in run_thread.
  all.thread->owns.wait(false, std::memory_order_acquire);
}
/// The thread ends with the call that has set `stops`; the calling thread owns the endpoint then.
inline void join_thread(mailbox_registry& all) noexcept {
  all.thread->runs.join();
  all.thread.reset();
  (void)am_ep_adopt(all.ep);
}

}  // namespace am::detail::messages
