// The stamps that one sender's messages have, as their receiver takes them: by what MPI matches
// messages by, the oldest first. Those that a lane brings out of turn are kept.
#pragma once

#include <mpidial/lane.hpp>

#include <deque>
#include <unordered_map>

namespace am::detail::mpidial {

class stamps {
 public:
  explicit stamps(lane_reader lane) noexcept : lane_(lane) {}

  // Takes the oldest stamp of that key. False: there is none, so the message is not dialled.
  bool take(const message_key& key, stamp& out) {
    if (kept_.empty()) {
      const lane_entry* const front = lane_.front();
      if (front != nullptr && front->kind == entry_kind::message && key_of(*front) == key) {
        out = copy_of(*front);
        lane_.pop();
        return true;
      }
    }
    keep_all();
    const auto found = kept_.find(key);
    if (found == kept_.end()) return false;
    out = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) kept_.erase(found);
    return true;
  }

  // The same stamp, which stays; null: there is none. Valid until the next call.
  stamp* peek(const message_key& key) {
    keep_all();
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : &found->second.front();
  }

  // Takes all out of the lane, so that its writer finds room.
  void keep_all() {
    while (const lane_entry* const front = lane_.front()) {
      if (front->kind == entry_kind::message)
        keep(copy_of(*front));
      else
        withdraw(key_of(*front));
      lane_.pop();
    }
  }

 private:
  struct hash {
    std::size_t operator()(const message_key& key) const noexcept {
      return key.communicator ^ static_cast<std::uint32_t>(key.tag) * 0x9e3779b97f4a7c15ULL;
    }
  };

  static message_key key_of(const lane_entry& one) noexcept { return {one.communicator, one.tag}; }
  static stamp copy_of(const lane_entry& one) noexcept {
    return {key_of(one), one.leave, one.fragments, one.size_class, one.lone};
  }
  void keep(const stamp& one) {
    const auto owed = owed_.find(one.key);
    if (owed == owed_.end()) {
      kept_[one.key].push_back(one);
      return;
    }
    if (--owed->second == 0) owed_.erase(owed);
  }
  // MPI has not sent the message. Where a later message has taken its stamp, the next one is
  // dropped instead.
  void withdraw(const message_key& key) {
    const auto found = kept_.find(key);
    if (found == kept_.end()) {
      ++owed_[key];
      return;
    }
    found->second.pop_back();
    if (found->second.empty()) kept_.erase(found);
  }

  lane_reader lane_;
  std::unordered_map<message_key, std::deque<stamp>, hash> kept_;
  std::unordered_map<message_key, unsigned, hash> owed_;
};

}  // namespace am::detail::mpidial
