#include <transports/ucx/turns.hpp>

#include <cstddef>

namespace am::detail::ucx {

void turns::take_turns(unsigned& budget) noexcept {
  std::rotate(with_input_.begin(), with_input_.begin() + 1, with_input_.end());
  for (std::size_t i = 0; i < with_input_.size() && budget != 0; ++i) {
    const unsigned before = budget;
    with_input_[i]->in.take_kept(budget);
    if (budget != before) has_spoken(*with_input_[i]);
  }
  std::erase_if(with_input_, [](const channel* one) { return !one->in.is_next_here(); });
}

}  // namespace am::detail::ucx
