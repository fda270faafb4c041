// The channels with work: those with kept frames, served round robin from poll to poll, and those
// that have delivered something in this poll and whose answers are sent at its end.
#pragma once

#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::ucx {

class ready_channels {
 public:
  void on_input(channel& one) noexcept {
    if (std::ranges::find(with_input_, &one) == with_input_.end()) with_input_.push_back(&one);
  }
  [[nodiscard]] bool any_input() const noexcept { return !with_input_.empty(); }
  void add_to_answer(channel& one) noexcept {
    if (to_answer_.empty() || to_answer_.back() != &one) to_answer_.push_back(&one);
  }
  [[nodiscard]] bool any_to_answer() const noexcept { return !to_answer_.empty(); }

  // Delivers kept frames, as far as the budget goes.
  void deliver_kept(unsigned& budget) noexcept {
    if (!with_input_.empty()) [[unlikely]]
      deliver_in_turn(budget);
  }
  // Sends the answers of the channels that have delivered something.
  void send_answers() noexcept {
    for (channel* one : to_answer_) one->out.send_answers();
    to_answer_.clear();
  }

 private:
  void deliver_in_turn(unsigned& budget) noexcept;

  std::vector<channel*> to_answer_;
  std::vector<channel*> with_input_;
};

}  // namespace am::detail::ucx
