// The receiving half, and the end of a pair. A frame that fits a fragment of UCX's comes in order
// by itself; one that is longer, or comes where no handler may run, is kept until its number is
// due.
#include <libam/base/format.hpp>
#include <transports/ucx/channel.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::ucx {

namespace {

// Each once, as they come: "posix/memory, cma/memory".
std::string names_of_lanes(std::string_view text) {
  std::string names;
  for (std::size_t at = text.find("lane["); at != text.npos; at = text.find("lane[", at + 1)) {
    const std::size_t from = text.find(':', text.find(':', at) + 1) + 1;
    const std::string name(text.substr(from, text.find(' ', from) - from));
    if (names.find(name) == names.npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

// ---- in -----------------------------------------------------------------------------------------

bool channel::take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept {
  if (state_ != state::open) return false;
  const std::size_t most = wire::most_frame_bytes(ucx_.payloads());
  if (frame.size() < wire::frame_header_bytes || frame.size() > most) {
    lose(base::format("a frame of {} bytes; it may have {} to {}", frame.size(),
                      wire::frame_header_bytes, most));
    return false;
  }
  const std::uint32_t number = wire::unpacker::number_of(frame.data());
  if (frames_in_.is_inside() || budget == 0 || number != frames_in_.next_number())
    return keeps(number, frame, lent);
  if (!is_aligned(frame.data())) {
    std::memcpy(ucx_.room_for_frame(), frame.data(), frame.size());
    frame = {ucx_.room_for_frame(), frame.size()};
  }
  if (!begin_frame(frame)) return false;
  deliver(budget);
  if (state_ != state::open) return false;
  if (!frames_in_.is_inside()) {
    if (is_next_here()) keeper_.has_input(*this);  // it had come before this one
    return false;
  }
  const auto rest = kept_.try_emplace(number, ucx_.worker(), frame, lent).first;
  frames_in_.has_moved(rest->second.bytes().data());
  keeper_.has_input(*this);
  return lent;
}

// UCX gives frames as wholes. False: the pair is lost.
bool channel::begin_frame(std::span<const std::byte> frame) noexcept {
  using found = packed::frame_reader::found;
  const found what = frames_in_.begin(frame);
  if (what == found::trouble)
    lose(frames_in_.trouble());
  else if (what == found::part || frames_in_.frame_bytes() != frame.size())
    lose(base::format("a frame of {} bytes comes as {}", frames_in_.needed(), frame.size()));
  else if (frames_in_.ended_shortage())
    peers_.has_news();
  return state_ == state::open;
}

// As much of the frame as the budget allows.
void channel::deliver(unsigned& budget) noexcept {
  using stop = packed::frame_reader::stop;
  while (state_ == state::open) {
    switch (frames_in_.deliver(budget)) {
      case stop::full_frame: send_frame(); break;
      case stop::budget:
      case stop::end_of_frame: return;
      case stop::piece:
        return lose(base::format("it announces {} bytes that do not come this way",
                                 frames_in_.piece().bytes));
      case stop::goodbye: return leave();
      case stop::trouble: return lose(frames_in_.trouble());
    }
  }
}

bool channel::keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept {
  const std::uint32_t ahead = number - frames_in_.next_number();
  if (ahead > most_ahead_ || kept_.contains(number)) {
    lose(base::format("a frame numbered {} comes where {} is due", number,
                      frames_in_.next_number()));
    return false;
  }
  kept_.try_emplace(number, ucx_.worker(), frame, lent);
  keeper_.has_input(*this);
  return lent;
}

void channel::take_kept(unsigned& budget) noexcept {
  while (budget != 0 && is_next_here()) next_kept(budget);
}

// Inside a kept frame, or before one.
void channel::next_kept(unsigned& budget) noexcept {
  if (!frames_in_.is_inside() && !begin_frame(kept_.at(frames_in_.next_number()).bytes())) return;
  deliver(budget);
  if (!frames_in_.is_inside() && state_ == state::open) kept_.erase(frames_in_.next_number() - 1);
}

// For one who only tries and never polls: counters come in, up to the next message.
void channel::refresh() noexcept {
  flush();
  keeper_.progress_quietly();
  while (is_next_here() && !(frames_in_.is_inside() && frames_in_.has_messages())) {
    unsigned none = 0;
    next_kept(none);
  }
}

// ---- the end ------------------------------------------------------------------------------------

void channel::lose(std::string_view why, packed::sign of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  keeper_.is_lost(*this, why, of);
  end();
}

void channel::leave() noexcept {
  end();
  state_ = state::left;
}

void channel::end() noexcept {
  state_ = state::lost;
  frames_out_.end();
}

void channel::fail(const char* call, ucs_status_t status) noexcept {
  lose(base::format("{}: {}", call, ucs_status_string(status)), packed::sign::of_death);
}

ucs_status_ptr_t channel::close_endpoint() noexcept {
  if (endpoint_ == nullptr || state_ == state::lost) return nullptr;
  const ucp_request_param_t plain{};
  const ucs_status_ptr_t begun = ucp_ep_close_nbx(std::exchange(endpoint_, nullptr), &plain);
  return UCS_PTR_IS_PTR(begun) ? begun : nullptr;
}

void channel::let_go() noexcept {
  kept_.clear();
  theirs_.clear();
}

// ---- for people ---------------------------------------------------------------------------------

// UCX tells it for people alone: "lane[0]: 2:posix/memory md[2] …".
std::string channel::about_way() const {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = endpoint_ != nullptr ? ::open_memstream(&text, &size) : nullptr;
  if (file == nullptr) return {};
  ucp_ep_print_info(endpoint_, file);
  std::fclose(file);
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return names_of_lanes({text, size});
}

std::string channel::about_peer() const {
  switch (state_) {
    case state::connecting: return "it has not answered yet";
    case state::open: return going_.empty() ? "its way is open" : "its way takes no more";
    case state::left: return "it has left";
    case state::lost: return "its way is lost";
  }
  return {};
}

}  // namespace am::detail::ucx
