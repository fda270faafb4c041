// The channels of which a look has something: those with kept frames, which take turns from look to
// look, and those that have delivered something in this one and are answered at its end.
#pragma once

#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <vector>

namespace am::detail::ucx {

class turns {
 public:
  void has_input(channel& one) noexcept {
    if (std::ranges::find(with_input_, &one) == with_input_.end()) with_input_.push_back(&one);
  }
  [[nodiscard]] bool anyone_has_input() const noexcept { return !with_input_.empty(); }
  void has_spoken(channel& one) noexcept {
    if (spoken_.empty() || spoken_.back() != &one) spoken_.push_back(&one);
  }
  [[nodiscard]] bool anyone_has_spoken() const noexcept { return !spoken_.empty(); }

  // What has been kept, as far as the budget goes.
  void take_kept(unsigned& budget) noexcept {
    if (!with_input_.empty()) [[unlikely]]
      take_turns(budget);
  }
  // Who has spoken is answered.
  void answer() noexcept {
    for (channel* one : spoken_) one->out.answer();
    spoken_.clear();
  }

 private:
  void take_turns(unsigned& budget) noexcept;

  std::vector<channel*> spoken_;
  std::vector<channel*> with_input_;
};

}  // namespace am::detail::ucx
