#include <transports/ucx/pair_state.hpp>

#include <libam/base/format.hpp>

namespace am::detail::ucx {

bool pair_state::open() noexcept {
  if (state_ != state::connecting) return false;
  state_ = state::open;
  has_been_open_ = true;
  return true;
}

void pair_state::lose(std::string_view why, packed::loss_cause of) noexcept {
  if (of == packed::loss_cause::error) has_valid_input_ = false;
  if (state_ == state::lost || state_ == state::left) return;
  why_lost_ = why;
  manager_.on_lost(owner_, why_lost_, of);
  end();
  has_valid_input_ = of == packed::loss_cause::maybe_death;
}

void pair_state::fail(const char* call, ucs_status_t status) noexcept {
  lose(base::format("{}: {}", call, ucs_status_string(status)), packed::loss_cause::maybe_death);
}

void pair_state::mark_left() noexcept {
  end();
  state_ = state::left;
}

void pair_state::end() noexcept {
  state_ = state::lost;
  has_valid_input_ = false;
  frames_.end();
}

}  // namespace am::detail::ucx
