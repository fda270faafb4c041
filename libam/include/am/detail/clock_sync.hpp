// A rank's part in the clock of a team: it answers pings in a handler, so that it need only poll;
// and it pings its teacher, a rank that has the clock, to bound its own clock's offset.
#pragma once

#include <am/am.hpp>
#include <am/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace am::detail {

// ---- messages -----------------------------------------------------------------------------------

/// Which ping of which team's clock, and how often that team had learnt a clock before.
struct clock_ping {
  std::uint32_t team;
  std::uint16_t learnt_before;
  std::uint16_t number;
};

/// What the clock there showed, and the global time of that moment: unbounded where it is not
/// known.
struct clock_answer {
  clock_ping ping;
  double shown;
  interval global;
};

template <class Source>
clock_sync<Source>& clock_sync_of(am_ep* ep, std::uint32_t team);

template <class Source>
void take_clock_answer(reply_token t, clock_answer answer) {
  clock_sync_of<Source>(t.endpoint(), answer.ping.team).take(answer);
}
template <class Source>
void answer_clock_ping(request_token t, clock_ping ping) {
  t.reply<take_clock_answer<Source>>(clock_sync_of<Source>(t.endpoint(), ping.team).answer(ping));
}

template <class Source>
void take_clock_model(reply_token t, payload model, clock_ping ping) {
  clock_sync_of<Source>(t.endpoint(), ping.team).take(model, ping);
}
template <class Source>
void answer_with_clock_model(request_token t, clock_ping ping) {
  t.reply<take_clock_model<Source>>(clock_sync_of<Source>(t.endpoint(), ping.team).model(ping),
                                    ping);
}

template <class Params>
inline constexpr bool is_of_clock = false;
template <class... Values>
inline constexpr bool is_of_clock<std::tuple<Values...>> =
    ((std::is_same_v<Values, clock_ping> || std::is_same_v<Values, clock_answer>) || ...);

template <auto Handler>
requires is_of_clock<params<Handler>>
inline constexpr const char* own_label<Handler> = "am::global_clock";

}  // namespace am::detail

// Not reported when they are returned: a rank learns of its teacher's death by am_ep_deaths().
template <auto Handler>
requires am::detail::is_of_clock<am::detail::params<Handler>>
inline constexpr std::uint32_t am::handler_flags<Handler> = AM_HANDLER_OF_LIBRARY;

namespace am::detail {

// ---- a rank's part ------------------------------------------------------------------------------

/// Pings of one measurement: from `least` on they end with one that has taken hardly longer than
/// the fastest before it.
struct clock_effort {
  unsigned least;
  unsigned most;
};
inline constexpr clock_effort thorough{40, 400};  // to learn the clock
inline constexpr clock_effort brief{8, 100};      // to refresh it, and to prove that it is one
inline constexpr double near_fastest = 1.1;

/// The clock of one team at one rank.
template <class Source>
class clock_sync {
 public:
  clock_sync(am_ep* ep, std::uint32_t team, std::uint16_t learnt_before, const Source& source)
      : ep_(ep),
        team_(team),
        learnt_before_(learnt_before),
        clock_(source, {source.now(), source.ns(1)}, team, learnt_before) {}
  clock_sync(const clock_sync&) = delete;
  clock_sync& operator=(const clock_sync&) = delete;

  [[nodiscard]] const basic_global_clock<Source>& clock() const noexcept { return clock_; }
  [[nodiscard]] const Source& source() const noexcept { return clock_.source_; }
  [[nodiscard]] const clock_scale& scale() const noexcept { return clock_.scale_; }
  void set_is_one(bool is_one) noexcept { clock_.is_one_ = is_one; }
  // Of the rank whose clock is the global one.
  void set_is_known() noexcept { is_known_ = true; }
  [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
  [[nodiscard]] std::uint16_t learnt_before() const noexcept { return learnt_before_; }

  /// Whether this rank's clock shows what that of `first`, a rank of the job, shows, in its scale.
  /// Then that is the teacher.
  [[nodiscard]] bool join(rank_id first, const clock_scale& scale) {
    const clock_scale own = std::exchange(clock_.scale_, scale);
    set_teacher(first);
    shares_counter_ = shows_the_same();
    if (!shares_counter_) clock_.scale_ = own;
    return shares_counter_;
  }
  /// Learns from a rank of the job that has the clock.
  void learn_from(rank_id teacher) {
    set_teacher(teacher);
    clock_.set_model(clock_model(measure_offset(thorough)));
    is_known_ = true;
  }
  /// Takes over what the teacher knows of the counter that both read.
  void copy_model() {
    ask<answer_with_clock_model<Source>>(reply_room(sizeof(clock_model)));
    if (!is_taken_) throw_not_known();
    is_known_ = true;
  }

  /// Measures again, and puts what is known now into a copy of the clock.
  void refresh(basic_global_clock<Source>& shown) {
    if (shown.team_ != team_ || shown.learnt_before_ != learnt_before_)
      throw error(AM_ARGUMENT_SIZE,
                  "this clock is not of the last global_clock() of this team: each begins anew");
    if (!is_known_) throw_not_known();
    measure_again();
    shown = clock_;
  }

  // ---- for the handlers ----

  [[nodiscard]] clock_answer answer(const clock_ping& ping) const noexcept {
    const double shown_now = shown();
    if (!knows(ping)) return {ping, shown_now, {}};
    interval global = clock_.model_.global_at(shown_now);
    global.high += resolution();  // a clock shows whole ticks
    return {ping, shown_now, global};
  }
  [[nodiscard]] payload model(const clock_ping& ping) const noexcept {
    return std::as_bytes(std::span(&clock_.model_, knows(ping) ? 1 : 0));
  }
  void take(const clock_answer& answer) noexcept {
    const double now = shown();
    if (answer.ping.number != number_) return;
    answered_at_ = now;
    answer_ = answer;
    is_answered_ = true;
  }
  void take(payload model, const clock_ping& ping) noexcept {
    if (ping.number != number_) return;
    is_answered_ = true;
    is_taken_ = model.size() == sizeof(clock_model);
    if (!is_taken_) return;
    clock_model taken;
    std::memcpy(static_cast<void*>(&taken), model.data(), sizeof taken);
    clock_.set_model(taken);
  }

 private:
  [[nodiscard]] bool knows(const clock_ping& of) const noexcept {
    return is_known_ && of.learnt_before == learnt_before_;
  }
  [[noreturn]] static void throw_not_known() {
    throw error(AM_AGAIN_CONNECTING,
                "the ranks of this team are learning a clock, or have failed to: this one, or the "
                "one that it learns from, has none now");
  }
  [[nodiscard]] double resolution() const noexcept { return clock_.source_.resolution_ns(); }

  void measure_again() {
    if (!has_teacher_) return;
    if (shares_counter_ && shows_the_same()) return copy_model();
    clock_model model = clock_.model_;
    const offset_window window = measure_offset(brief);
    if (shares_counter_) {
      shares_counter_ = false;
      clock_.is_one_ = false;
      model.restart(window);
    } else {
      model.refresh(window);
    }
    clock_.set_model(model);
  }

  [[nodiscard]] double shown() const noexcept { return clock_.scale_.ns_at(clock_.source_.now()); }

  void set_teacher(rank_id teacher) noexcept {
    teacher_ = teacher;
    has_teacher_ = true;
    fastest_ = std::numeric_limits<double>::infinity();
  }

  // What the teacher shows lies between the readings here, in each ping.
  [[nodiscard]] bool shows_the_same() {
    return each_ping(brief, [&] {
      return asked_at_ <= answer_.shown + resolution() &&
             answer_.shown <= answered_at_ + resolution();
    });
  }
  [[nodiscard]] offset_window measure_offset(const clock_effort& effort) {
    offset_window window(max_clock_drift + max_clock_wander);
    (void)each_ping(effort, [&] {
      window.add(asked_at_, answered_at_ + resolution(), answer_.global);
      return true;
    });
    if (!window.offset().is_bounded()) throw_not_known();
    return window;
  }

  // Pings until one has been fast, or visit() is false, which it then is.
  template <class Visit>
  bool each_ping(const clock_effort& effort, Visit&& visit) {
    for (unsigned i = 1; i <= effort.most; ++i) {
      ask<answer_clock_ping<Source>>();
      if (!visit()) return false;
      const double took = answered_at_ - asked_at_;
      const bool is_fast = took <= near_fastest * fastest_;
      if (took > 0) fastest_ = std::min(fastest_, took);
      if (is_fast && i >= effort.least) break;
    }
    return true;
  }

  // Sends the teacher a request, and waits for its answer.
  template <auto Handler, class... Room>
  void ask(Room... room) {
    if (std::exchange(is_asking_, true))
      throw error(AM_USAGE_IN_HANDLER,
                  "a refresh inside a posted function that runs in another one of the same team: "
                  "set a flag and act on it after that");
    const ending end{*this};
    const clock_ping ping{team_, learnt_before_, ++number_};
    is_answered_ = is_taken_ = false;
    deaths_ = am_ep_deaths(ep_);
    asked_at_ = shown();
    if constexpr (sizeof...(Room) == 0) {
      check(send<Handler, false>(ep_, teacher_, ping));
    } else {
      check(send_with_room<Handler, false>(ep_, teacher_, room..., ping));
    }
    while (true) {
      check(am_ep_wait(ep_, &clock_sync::has_news, this));
      if (is_answered_) return;
      deaths_ = am_ep_deaths(ep_);
      check(am_ep_fence(ep_, teacher_));  // unless it is the one that has died
    }
  }
  static int has_news(void* self) {
    const auto& sync = *static_cast<const clock_sync*>(self);
    return sync.is_answered_ || am_ep_deaths(sync.ep_) != sync.deaths_ ? 1 : 0;
  }
  struct ending {
    clock_sync& sync;
    ~ending() { sync.is_asking_ = false; }
  };

  am_ep* const ep_;
  const std::uint32_t team_;
  const std::uint16_t learnt_before_;
  basic_global_clock<Source> clock_;
  bool is_known_ = false;     // what clock_ says
  bool has_teacher_ = false;  // rank 0 of the team has none
  rank_id teacher_ = 0;       // a rank of the job
  bool shares_counter_ = false;
  double fastest_ = 0;  // ping of the teacher

  // The request under way.
  bool is_asking_ = false;
  bool is_answered_ = false;
  bool is_taken_ = false;  // a model has come with the answer
  std::uint16_t number_ = 0;
  rank_id deaths_ = 0;
  double asked_at_ = 0;
  double answered_at_ = 0;
  clock_answer answer_{};
};

}  // namespace am::detail
