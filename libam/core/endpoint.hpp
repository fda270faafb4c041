// The endpoint: one rank's place in a job, behind every am_ep_… call. One file for each verb
// implements it: request · later · store · get · call · answer · atomic · segment · reply · poll ·
// wait · post · sleep · contact · stats · stall · join · leave · failure.
#pragma once

#include <am/am.h>
#include <libam/base/settings.hpp>
#include <libam/core/bulk.hpp>
#include <libam/core/failure.hpp>
#include <libam/core/idle.hpp>
#include <libam/core/inside_call.hpp>
#include <libam/core/post_box.hpp>
#include <libam/core/sleeper.hpp>
#include <libam/core/stall.hpp>
#include <libam/core/stats_file.hpp>
#include <libam/core/thread.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/plain.hpp>
#include <libam/seam/transport.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::core {

class endpoint final : private seam::inbox, private seam::mourner {
 public:
  ~endpoint();

  // ---- join.cpp ----
  static am_status join(std::unique_ptr<seam::boot> job, const base::settings& settings,
                        endpoint** out);
  static am_status join_as_started(endpoint** out);  // the job that the environment tells of
  am_status update_handlers();

  // ---- leave.cpp ----
  am_status close();  // afterwards the object answers usage(left)
  void abandon() noexcept;
  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept;

  // ---- request.cpp ----
  // The hot path: it writes one counter beside the message, ends in the port's call and keeps
  // nothing across another.
  am_status request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) {
    if (acceptable(to, handler)) [[likely]] {
      seam::port& port = *ports_[to];
      if (port.take_from_run()) [[likely]]
        return port.send_in_run(handler, w3, w0, w1, w2);
    }
    return request_and_look(to, handler, w0, w1, w2, w3);
  }
  am_status try_request(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                        am_word w3);
  am_status request_medium(am_rank to, const am_handler* handler, const void* data,
                           std::size_t bytes, const am_word* words);
  am_status try_request_medium(am_rank to, const am_handler* handler, const void* data,
                               std::size_t bytes, const am_word* words);

  // ---- later.cpp: what a handler may ask for ----
  am_status later(am_rank to, const am_handler* handler, am_word w0, am_word w1, am_word w2,
                  am_word w3);

  // ---- store.cpp, get.cpp, atomic.cpp: bulk data ----
  am_status store(am_rank to, void* where, const void* data, std::size_t bytes,
                  const am_handler* handler, const am_word* words);
  am_status try_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words);
  am_status store_async(am_rank to, void* where, const void* data, std::size_t bytes,
                        const am_handler* handler, const am_word* words, const am_handler* done,
                        am_word then);
  am_status get(am_rank from, const void* where, void* to, std::size_t bytes,
                const am_handler* done, const am_word* words);
  am_status atomic(am_rank at, am_word* where, am_atomic_op op, am_word operand, am_word expected,
                   const am_handler* done, const am_word* words);

  // libam's own handlers (bulk_handlers.hpp).
  static am_handler_fn on_piece;
  static am_handler_fn on_store;
  static am_handler_fn on_get;
  static am_handler_fn on_got;
  static am_handler_fn on_get_failed;
  static am_handler_fn on_atomic;
  static am_handler_fn on_atomic_done;
  static am_handler_fn on_atomic_failed;
  static am_handler_fn on_team_piece;  // team_handlers.hpp

  // ---- segment.cpp ----
  am_status make_segment(std::size_t bytes, void** address);
  void free_segment(void* address) noexcept;
  void wait_for_abandoned() noexcept;
  am_status tell_all(am_word mine, am_status so_far, std::vector<am_word>& all);

  // ---- reply.cpp: what a running handler may do and ask ----
  am_status reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                  am_word w2, am_word w3);
  am_status reply_at(std::uint64_t serial, const am_handler* handler, void* where,
                     const am_word* words);
  [[gnu::cold]] am_status refuse_reply(std::uint64_t serial, const am_handler* handler) const;
  [[nodiscard]] am_rank source() const noexcept { return source_; }
  [[noreturn]] void handler_threw(const char* handler, const char* what) noexcept;
  [[noreturn, gnu::cold]] void accuse(const char* what, std::uint64_t found,
                                      std::uint64_t allowed) noexcept;
  void on_undeliverable(am_undeliverable_fn* fn, void* arg) noexcept;

  // ---- failure.cpp: the death of other ranks ----
  void on_peer_failure(am_peer_failure_fn* fn, void* arg) noexcept;
  [[nodiscard]] am_rank deaths() const noexcept { return failure_.deaths; }

  // ---- poll.cpp ----
  am_status poll(unsigned budget, unsigned* ran);

  // ---- wait.cpp ----
  am_status wait(int (*done)(void*), void* arg);
  am_status wait_for(int (*done)(void*), void* arg, std::int64_t nanoseconds);
  am_status flush();
  am_status fence(am_rank rank);
  am_status job_fence();

  // ---- post.cpp ----
  am_status post(void (*fn)(void* arg), void* arg);

  // ---- stats.cpp ----
  am_status stats(am_stats& out) const;
  am_status traffic(am_rank with, am_traffic& out) const;
  am_status runs(const am_handler* handler, std::uint64_t& out) const;

  // ---- sleep.cpp ----
  am_status arm(bool* armed);
  [[nodiscard]] int descriptor() const noexcept {
    return state_ == state::open ? sleeper_.descriptor() : -1;
  }

  // ---- contact.cpp: for people who ask which transport serves whom ----
  // Which this rank has, and why not the others.
  [[nodiscard]] std::vector<seam::attempt> transports() const;
  // From now on first contact with a rank leaves there what it has tried; by rank.
  void note_attempts(std::vector<std::vector<seam::attempt>>& attempts) {
    attempts.resize(ranks_);
    attempts_ = &attempts;
  }
  [[nodiscard]] std::string about_way(am_rank to) const { return ports_[to]->about_way(); }

  // ---- gate.cpp ----
  am_status adopt();
  [[nodiscard]] bool in_order() const noexcept { return gate_ == this_thread(); }
  [[gnu::cold]] am_status refuse(const char* call) const;  // why the gate is shut
  void forked() noexcept;                                  // this is the child of a fork

  [[nodiscard]] am_rank rank() const noexcept { return rank_; }
  [[nodiscard]] am_rank ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::size_t max_medium() const noexcept { return max_medium_; }
  [[nodiscard]] seam::boot& job() noexcept { return *job_; }
  // What the calls of team.h keep here, once there was one (face/team.cpp).
  [[nodiscard]] std::shared_ptr<void>& team() noexcept { return team_; }

  void* context = nullptr;

 private:
  // The end of every port that has not been made, and of every port to the dead: it has no credits,
  // so a sender stops there.
  class nowhere final : public seam::plain_port {
   public:
    nowhere() noexcept : plain_port(0, {}) {}
    void send(std::uint32_t, am_word, am_word, am_word, am_word) noexcept override {}
    am_status send_medium(std::uint32_t, const am_word*, const void*,
                          std::size_t) noexcept override {
      return AM_AGAIN_CONNECTING;
    }
    void look() noexcept override {}
    void refresh() noexcept override {}
    void send_bulk(std::uint32_t, const am_word*, void*, std::size_t) noexcept override {}
  };

  // A transport of this job, or why it is none.
  struct way {
    std::string name;
    std::unique_ptr<seam::transport> transport;
    std::string why_not;
  };

  enum class state { open, left, forked };

  endpoint(std::unique_ptr<seam::boot> job, const base::settings& settings);

  // join.cpp
  am_status enter();
  void make_transports();
  [[nodiscard]] bool is_wanted_here(std::string_view network) const;
  [[nodiscard]] am_status check_faults() const;
  am_status agree_on_handlers();
  am_status exchange(std::string_view key, std::span<const std::byte> mine, am_status so_far,
                     std::vector<std::vector<std::byte>>& out, bool serve,
                     am_status if_another_fails);
  am_status fence_and_wait(bool serve);

  // stats.cpp
  [[nodiscard]] am_status may_ask(const char* call) const;
  [[nodiscard]] am_traffic traffic_with(am_rank rank) const noexcept;
  [[nodiscard]] am_stats totals() const noexcept;
  void write_stats() noexcept;

  // leave.cpp
  void release() noexcept;
  void give_back_memory() noexcept;
  [[nodiscard]] bool all_answered() noexcept;

  // request.cpp
  [[nodiscard]] bool acceptable(am_rank to, const am_handler* handler) const noexcept {
    return in_order() && to < ranks_ && handler != nullptr && handler->id < count_;
  }
  [[gnu::cold]] am_status refuse_request(const char* call, am_rank to,
                                         const am_handler* handler) const;
  am_status request_and_look(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                             am_word w2, am_word w3);
  am_status find_credit(am_rank to, bool wait);
  void refresh(seam::port& port) noexcept;
  void wait_for_room(am_rank to, blocked& here, bool& counted);
  am_status send_medium(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                        const am_word* words, bool wait);

  am_status send_payload(am_rank to, const am_handler* handler, const void* data, std::size_t bytes,
                         const am_word* words, bool wait);

  // store.cpp
  am_status check_bulk(const char* call, am_rank at, const void* where, const void* mine,
                       std::size_t bytes, const am_handler* handler) const;
  [[gnu::cold]] am_status bad_address(const char* call, am_rank at, const void* where,
                                      std::size_t bytes) const;
  [[nodiscard]] bool owns(const void* where, std::size_t bytes) const noexcept;
  [[gnu::cold]] am_status bad_own_address(const char* what, const call& one) const;
  [[nodiscard]] bool is_notice_alone(am_rank to, const void* where,
                                     std::size_t bytes) const noexcept;
  am_status place(am_rank to, void* where, const void* data, std::size_t bytes,
                  const am_handler* handler, const am_word* words, bool wait);
  am_status turn_of_store(am_rank to, bool wait);
  am_status new_store(am_rank to, void* where, const void* data, std::size_t bytes,
                      const am_handler* handler, const am_word* words, call*& out);
  am_status finish_store(call& one, bool wait);
  am_status move(call& one, bool wait);
  seam::reach begin_put(call& one) noexcept;
  am_status begin_store(call& one);
  am_status send_pieces(call& one, bool wait);
  void count_store(am_rank to, std::size_t bytes) noexcept;
  void take_piece(void* where, const void* data, std::size_t bytes) noexcept;

  // call.cpp
  am_status new_call(call::kind what, am_rank peer, call*& out);
  am_status begin_in_turn(call& one);
  am_status begin(call& one);
  seam::reach begin_transfer(call& one, seam::reach (seam::port::*how)(seam::transfer&));
  void begin_waiting() noexcept;
  am_status credit_now(am_rank to);
  am_status try_later(am_rank to) noexcept;
  [[nodiscard]] bool is_put_off(am_rank to) const noexcept {
    return bulk_.put_off[to] == bulk_.rounds;
  }
  void end_call(call& one, am_status reason, bool unknown) noexcept;
  static void transferred(seam::inbox& inbox, seam::transfer& moved) noexcept;
  void lose_way(call& one) noexcept;
  void lose_calls(am_rank rank) noexcept;

  // later.cpp
  [[gnu::cold]] am_status refuse_later(am_rank to, const am_handler* handler) const;
  am_status begin_request(call& one);

  // get.cpp
  am_status begin_get(call& one);
  am_status ask(call& one);
  [[nodiscard]] call* asked_of_source(call::kind what, am_word number) noexcept;
  void take_moved(call& get, const void* where, std::size_t bytes) noexcept;
  unsigned run_completions(unsigned budget) noexcept;

  // segment.cpp
  void free_abandoned() noexcept;
  void give_back(const own_segment& one) noexcept;
  void give_back_segments() noexcept;

  // answer.cpp
  // One look at what has come. A caller in a flood has many, and may never poll: what waits goes
  // with the credits that they bring home.
  void look(am_rank with) noexcept {
    ports_[with]->look();
    send_behind_look();
  }
  void send_behind_look() noexcept {
    if (bulk_.has_waiting()) [[unlikely]]
      send_now_and_then();
  }
  void send_now_and_then() noexcept;
  void send_what_waits() noexcept;
  bool pay_a_part(owed_bytes& debt) noexcept;
  void begin_answer(owed_bytes& debt) noexcept;
  bool go_on_after_transfer(owed_bytes& debt) noexcept;
  bool pay_one_piece(owed_bytes& debt) noexcept;
  void put_off(owed_bytes& debt, am_status status) noexcept;
  [[nodiscard]] bool can_pay() const noexcept;
  bool take_back_own(const am_word* words) noexcept;

  // atomic.cpp
  am_status begin_atomic(call& one);
  void end_atomic(const am_word* words, am_status reason) noexcept;

  // contact.cpp
  am_status make_contact(am_rank to, bool wait);
  am_status try_contact(am_rank to);
  void note_attempt(am_rank to, std::string_view transport, std::string_view outcome);

  // poll.cpp
  unsigned deliver(unsigned budget) noexcept;
  static constexpr unsigned burst = 64;  // a poll's budget when the caller names none
  void wait_a_turn(blocked& here, const char* call, const am_rank* peer = nullptr) noexcept;

  // sleep.cpp
  am_status prepare_to_sleep();
  std::chrono::nanoseconds fall_asleep(bool for_posts) noexcept;
  void wake_up() noexcept;
  void sleep(std::chrono::nanoseconds limit, int also, bool for_posts) noexcept;

  // post.cpp
  bool run_posted();
  void turn(const inside_call& wait, blocked& here, const char* call,
            std::chrono::nanoseconds limit);

  // stall.cpp
  [[gnu::cold]] void look_around(blocked& here, const char* call, const am_rank* peer) noexcept;
  [[nodiscard]] std::size_t owed_by(am_rank rank) noexcept;
  [[nodiscard]] std::uint64_t signs_of_life(am_rank rank) const noexcept;
  [[nodiscard]] std::string describe_debtor(am_rank rank, std::size_t owed) const;
  void show() noexcept;

  // reply.cpp
  [[nodiscard]] bool may_reply(std::uint64_t serial, const am_handler* handler) const noexcept;
  static void give_back_missing(am_token token, const am_word* words, const void* data,
                                std::size_t bytes);
  static void take_back(seam::inbox& self, am_status reason, const am_word* words,
                        bool unknown) noexcept;
  void name_undeliverable(am_status reason, const am_word* words, bool unknown) noexcept;

  // failure.cpp
  [[nodiscard]] bool is_dead(am_rank rank) const noexcept { return ports_[rank] == &dead_; }
  [[gnu::cold]] am_status refuse_dead(am_rank rank) const;
  static void heard_of_end(seam::inbox& self, am_rank rank, std::string_view why) noexcept;
  unsigned mourn(unsigned budget) noexcept;
  void bury(am_rank rank) noexcept;
  void lost(am_rank rank, const seam::lost_request& request) noexcept override;
  [[nodiscard]] bool has_died(am_rank rank) const noexcept override {
    return !failure_.lost.contains(rank);
  }
  [[nodiscard]] bool is_of_library(std::uint32_t handler) const noexcept;
  void tell_of_death(am_rank rank) noexcept;

  // Hot, behind the inbox.
  seam::port** ports_ = nullptr;
  am_rank ranks_;
  am_rank rank_;
  std::vector<seam::transport*> polled_;  // those that may have something
  std::size_t turn_ = 0;                  // which of them comes first
  bool mourning_ = false;                 // somebody has died and is not buried
  idle idle_;
  std::uint64_t polls_ = 0;
  std::uint64_t full_polls_ = 0;  // that delivered something
  // The value of polls_ when a rank last had credits of which no message and no sign tells.
  std::uint64_t booked_at_ = ~std::uint64_t{0};

  // By rank: what came, and what the slower calls count; traffic_with() adds the rest.
  std::vector<arrivals> came_;
  std::vector<am_traffic> traffic_;
  stats_file stats_file_;
  stall_watch stalls_;
  std::vector<port_view> port_views_;  // by rank
  exposure shown_;

  state state_ = state::open;
  std::size_t max_medium_ = 0;
  am_undeliverable_fn* undeliverable_ = nullptr;
  void* undeliverable_arg_ = nullptr;
  std::vector<seam::port*> port_of_;  // by rank; ports_ is its data
  nowhere nowhere_;
  nowhere dead_;
  failure failure_;
  bulk bulk_;
  unsigned told_ = 0;  // how often tell_all has been called
  sleeper sleeper_;
  post_box posts_{sleeper_};
  bool inside_ = false;
  bool leaves_ = false;                                          // in the last fence of a close
  std::vector<way> ways_;                                        // in order of preference
  std::vector<std::vector<seam::attempt>>* attempts_ = nullptr;  // null: nobody asks
  std::vector<entry> handlers_;
  base::settings settings_;
  std::unique_ptr<seam::boot> job_;
  std::shared_ptr<void> team_;
};

}  // namespace am::detail::core
