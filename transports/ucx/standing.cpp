#include <libam/base/format.hpp>
#include <transports/ucx/standing.hpp>

namespace am::detail::ucx {

bool standing::open() noexcept {
  if (state_ != state::connecting) return false;
  state_ = state::open;
  has_been_open_ = true;
  return true;
}

void standing::lose(std::string_view why, packed::sign of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  why_lost_ = why;
  keeper_.is_lost(of_, why_lost_, of);
  end();
}

void standing::fail(const char* call, ucs_status_t status) noexcept {
  lose(base::format("{}: {}", call, ucs_status_string(status)), packed::sign::of_death);
}

void standing::leave() noexcept {
  end();
  state_ = state::left;
}

void standing::end() noexcept {
  state_ = state::lost;
  frames_.end();
}

}  // namespace am::detail::ucx
