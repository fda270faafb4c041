// The other ranks of the job: the port to each, first contact, and the dead.
#pragma once

#include <libam/base/zeroed_array.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/membership.hpp>
#include <libam/core/poll_clock.hpp>
#include <libam/core/transport_set.hpp>
#include <libam/seam/plain.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::core {

class peers {
 public:
  peers(am_rank rank, am_rank ranks, membership& membership, transport_set& transports,
        poll_clock& clock);

  [[nodiscard]] am_rank rank() const noexcept { return rank_; }
  [[nodiscard]] am_rank ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool has(am_rank rank) const noexcept { return rank < ranks_; }
  // Has no credits before first contact and after a death, so a sender stops.
  [[nodiscard]] seam::port& port(am_rank to) const noexcept { return *ports_[to]; }
  // The lowest rank of its host.
  [[nodiscard]] am_rank host_of(am_rank rank) const noexcept {
    return rank < host_of_.size() ? host_of_[rank] : rank;
  }
  // By rank. Once: hosts do not change, and later the dead have none.
  void set_hosts(std::vector<am_rank> host_of) { host_of_ = std::move(host_of); }
  [[nodiscard]] bool knows_hosts() const noexcept { return !host_of_.empty(); }
  [[nodiscard]] std::size_t max_medium() const noexcept { return transports_.max_medium(); }
  [[nodiscard]] am_traffic& traffic(am_rank with) noexcept { return traffic_[with]; }
  // Includes what the credits count.
  [[nodiscard]] am_traffic traffic_to(am_rank rank) const noexcept;

  // ---- first contact (contact.cpp) ----
  [[nodiscard]] bool has_contact(am_rank rank) const noexcept {
    return ports_[rank] != &uncontacted_port_;
  }
  // By the best transport that reaches it. Again: it has yet to answer.
  am_status try_contact(am_rank to);
  // From now on first contact with a rank records there, by rank, which transports it has tried.
  void note_attempts(std::vector<std::vector<seam::attempt>>& attempts);

  // ---- the dead, and ranks that are unreachable ----
  [[nodiscard]] bool is_dead(am_rank rank) const noexcept { return ports_[rank] == &dead_port_; }
  [[gnu::cold]] am_status refuse_dead(am_rank rank) const;
  [[nodiscard]] am_status reason(am_rank rank) const {
    return lost_.contains(rank) ? AM_PEER_LOST : AM_PEER_DEAD;
  }
  [[nodiscard]] bool is_lost(am_rank rank) const { return lost_.contains(rank); }
  void note_lost(am_rank rank, std::string_view why) { lost_.emplace(rank, why); }
  // It has died since.
  void clear_loss(am_rank rank) { lost_.erase(rank); }
  [[nodiscard]] std::string describe_failure(am_rank rank) const;
  // Replaces its port by one without credits; returns the former one.
  seam::port& retire(am_rank rank) noexcept;
  [[nodiscard]] am_rank deaths() const noexcept { return deaths_; }

  void fill_exposure(exposure& to) const noexcept;
  void release_memory() noexcept;

 private:
  class null_port final : public seam::plain_port {
   public:
    null_port() noexcept : plain_port(0, {}) {}
    void send(std::uint32_t, am_word, am_word, am_word, am_word) noexcept override {}
    am_status send_medium(std::uint32_t, const am_word*, const void*,
                          std::size_t) noexcept override {
      return AM_AGAIN_CONNECTING;
    }
    am_status send_with_room(std::uint32_t, const am_word*, const void*, std::size_t,
                             seam::answer_place) noexcept override {
      return AM_AGAIN_CONNECTING;
    }
    void poll_once() noexcept override {}
    void refresh_credits() noexcept override {}
    void send_notice(std::uint32_t, const am_word*, void*, std::size_t) noexcept override {}
  };

  void set_route(am_rank to, const transport_set::candidate& used, seam::port& port);
  void note_attempt(am_rank to, std::string_view transport, std::string_view outcome);

  seam::port** ports_ = nullptr;  // port_of_'s data: hot
  const am_rank ranks_;
  const am_rank rank_;
  membership& membership_;
  transport_set& transports_;
  poll_clock& clock_;
  null_port uncontacted_port_;
  null_port dead_port_;
  std::vector<seam::port*> port_of_;
  std::vector<am_rank> host_of_;            // by rank, as the lowest rank of each host
  base::zeroed_array<am_traffic> traffic_;  // without what the credits count
  base::zeroed_array<seam::snapshot> views_;
  std::map<am_rank, std::string> lost_;  // unreachable, perhaps alive; and why
  am_rank deaths_ = 0;
  std::vector<std::vector<seam::attempt>>* attempts_ = nullptr;  // null: not recorded
};

}  // namespace am::detail::core
