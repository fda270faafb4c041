#include <transports/ucx/ready_channels.hpp>

#include <cstddef>

namespace am::detail::ucx {

void ready_channels::deliver_in_turn(unsigned& budget) noexcept {
  std::rotate(with_input_.begin(), with_input_.begin() + 1, with_input_.end());
  for (std::size_t i = 0; i < with_input_.size() && budget != 0; ++i) {
    const unsigned before = budget;
    with_input_[i]->in.deliver_kept(budget);
    if (budget != before) add_to_answer(*with_input_[i]);
  }
  std::erase_if(with_input_, [](const channel* one) { return !one->in.is_next_available(); });
}

}  // namespace am::detail::ucx
