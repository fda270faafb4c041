// The channels of a rank, by peer, and what they leave for its next poll: open frames that have to
// leave, silent requests that nobody has been told of, credits or room that somebody missed, and
// losses. A channel notes all of that itself, so that no poll asks one after the other.
#pragma once

#include <libam/packed/losses.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace am::detail::packed {

// How a peer stands with this rank: from `left` and `lost` nothing comes any more, nor goes there.
enum class state { connecting, open, left, lost };

// What a channel has of its own for that.
struct notes {
  bool listed = false;   // among those with an open frame
  bool in_debt = false;  // among those that may have silent requests to tell of
};

// A `Channel` has notes, at(), flush(), which lets its open frame leave, and publish(), which tells
// of its silent requests.
template <class Channel>
class peers {
 public:
  explicit peers(const seam::host& of) : losses(of), all_(of.ranks) {}

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
  template <class Tell>
  void each(Tell&& tell) const {
    for (const auto& one : all_)
      if (one != nullptr) tell(*one);
  }
  template <class Holds>
  [[nodiscard]] bool any(Holds&& holds) const {
    for (const auto& one : all_)
      if (one != nullptr && holds(*one)) return true;
    return false;
  }

  // ---- open frames ----

  void has_open_frame(Channel& one) noexcept {
    if (!one.noted.listed) [[unlikely]]
      list(one);
  }
  // True: there may have been one. What leaves may open another one, which stays.
  bool send_open_frames() noexcept {
    if (open_frames_.empty()) return false;
    leaving_.swap(open_frames_);
    for (Channel* one : leaving_) {
      one->noted.listed = false;
      one->flush();
    }
    leaving_.clear();
    return true;
  }

  // ---- silent requests ----

  void has_debt(Channel& one) noexcept {
    if (!std::exchange(one.noted.in_debt, true)) debtors_.push_back(&one);
  }
  [[nodiscard]] bool have_debts() const noexcept { return !debtors_.empty(); }
  void pay_debts() noexcept {
    for (Channel* one : debtors_) {
      one->noted.in_debt = false;
      one->publish();
    }
    debtors_.clear();
  }

  // ---- credits and room ----

  void has_news() noexcept { news_ = true; }
  // Since this was asked last.
  [[nodiscard]] bool had_news() noexcept { return std::exchange(news_, false); }

  packed::losses losses;

 private:
  // Apart: most messages find their frame listed.
  [[gnu::noinline]] void list(Channel& one) noexcept {
    one.noted.listed = true;
    open_frames_.push_back(&one);
  }

  std::vector<std::unique_ptr<Channel>> all_;
  std::vector<Channel*> open_frames_;
  std::vector<Channel*> leaving_;  // of these, at this moment
  std::vector<Channel*> debtors_;
  bool news_ = false;
};

}  // namespace am::detail::packed
