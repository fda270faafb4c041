// The channels of a rank, by peer, and what they leave for its next poll: open frames that have to
// leave, unpublished silent requests, credits or room that were missing, and losses. A channel
// notes all of that itself, so that no poll checks one channel after the other.
#pragma once

#include <libam/packed/loss_queue.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace am::detail::packed {

// The state of a peer: nothing comes from, nor goes to, one that is `left` or `lost`.
enum class state { connecting, open, left, lost };

// The flags of a channel that `peers` sets.
struct channel_flags {
  bool has_open_frame = false;  // in the list of those with an open frame
  bool needs_publish = false;   // in the list of those that may have unpublished silent requests
};

// A `Channel` has flags, current_state(), flush(), which sends its open frame, and publish(), which
// publishes its silent requests.
template <class Channel>
class peers {
 public:
  explicit peers(const seam::transport_context& of) : losses(of), all_(of.ranks) {}

  // Null before first contact.
  [[nodiscard]] Channel* find(am_rank rank) const noexcept { return all_[rank].get(); }
  [[nodiscard]] Channel& operator[](am_rank rank) const noexcept { return *all_[rank]; }
  // `make` makes the channel, at first contact.
  template <class Make>
  Channel& find_or_make(am_rank rank, Make&& make) {
    auto& place = all_[rank];
    if (place == nullptr) place = std::forward<Make>(make)();
    return *place;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& one : all_)
      if (one != nullptr) visit(*one);
  }
  template <class Holds>
  [[nodiscard]] bool any(Holds&& holds) const {
    for (const auto& one : all_)
      if (one != nullptr && holds(*one)) return true;
    return false;
  }

  // ---- open frames ----

  void note_open_frame(Channel& one) noexcept {
    if (!one.flags.has_open_frame) [[unlikely]]
      add_open_frame(one);
  }
  // True: there may have been one. Sending one may open another one, which stays open.
  bool send_open_frames() noexcept {
    if (open_frames_.empty()) return false;
    sending_.swap(open_frames_);
    for (Channel* one : sending_) {
      one->flags.has_open_frame = false;
      one->flush();
    }
    sending_.clear();
    return true;
  }

  // ---- silent requests ----

  void note_unpublished(Channel& one) noexcept {
    if (!std::exchange(one.flags.needs_publish, true)) to_publish_.push_back(&one);
  }
  [[nodiscard]] bool any_unpublished() const noexcept { return !to_publish_.empty(); }
  void publish_all() noexcept {
    for (Channel* one : to_publish_) {
      one->flags.needs_publish = false;
      one->publish();
    }
    to_publish_.clear();
  }

  // ---- credits and room ----

  void note_credits_or_room() noexcept { credits_or_room_ = true; }
  // Since the last call.
  [[nodiscard]] bool take_credits_or_room() noexcept {
    return std::exchange(credits_or_room_, false);
  }

  packed::loss_queue losses;

 private:
  // Not inline: the frame of most messages is in the list already.
  [[gnu::noinline]] void add_open_frame(Channel& one) noexcept {
    one.flags.has_open_frame = true;
    open_frames_.push_back(&one);
  }

  std::vector<std::unique_ptr<Channel>> all_;
  std::vector<Channel*> open_frames_;
  std::vector<Channel*> sending_;  // inside send_open_frames()
  std::vector<Channel*> to_publish_;
  bool credits_or_room_ = false;
};

}  // namespace am::detail::packed
