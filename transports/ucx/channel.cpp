// Frames out and in. One that fits a fragment of UCX's comes in order by itself; one that is
// longer, or comes where no handler may run, is kept until its number is due.
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::ucx {

namespace {

// A fragment of UCX's shared-memory and TCP transports has 8 KiB for both headers and the frame.
constexpr std::size_t full_frame = std::size_t{8} * 1024 - 128;
// Payload that UCX has not taken yet; a call with more waits, too.
constexpr std::size_t most_going = std::size_t{256} * 1024;

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

// Every frame but goodbye's has a message that took a credit of one side or the other, or tells of
// silent requests, of which each took one.
channel::channel(const seam::host& host, am_rank to, channel_keeper& keeper, engine& ucx)
    : packed::channel(host, to, ucx_can, keeper, full_frame, check::by_rank),
      ways_(keeper),
      ucx_(ucx),
      most_ahead_(4 * host.settings.credits + 64),
      spare_(std::make_unique<parcel>()) {}

void channel::fail(const char* call, ucs_status_t status) noexcept {
  lose(base::format("{}: {}", call, ucs_status_string(status)), packed::sign::of_death);
}

// ---- first contact ------------------------------------------------------------------------------

bool channel::reach_out(std::span<const std::byte> address, bool here, std::string& why) {
  ucp_ep_params_t to{};
  to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                  UCP_EP_PARAM_FIELD_ERR_HANDLER;
  to.address = reinterpret_cast<const ucp_address_t*>(address.data());
  to.err_mode = here ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  to.err_handler.arg = this;
  to.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t status) noexcept {
    static_cast<channel*>(self)->fail("UCX", status);
  };
  const ucs_status_t status = ucp_ep_create(ucx_.worker(), &to, &endpoint_);
  if (status == UCS_OK) return true;
  endpoint_ = nullptr;
  why = base::format("ucp_ep_create: {}", ucs_status_string(status));
  return false;
}

void channel::greet(std::span<const std::byte> contact) {
  has_greeted_ = true;
  tell(kind::hello, contact);
}

void channel::tell(kind what, std::span<const std::byte> bytes) {
  spare_->note.resize(sizeof(std::uint32_t) + bytes.size());
  wire::write_number(spare_->note.data(), std::uint32_t{ucx_.own_rank()});
  std::ranges::copy(bytes, spare_->note.begin() + sizeof(std::uint32_t));
  if (send_by_ucx(what, spare_->note)) (void)post_spare(0);
}

bool channel::open() noexcept {
  if (state_ != state::connecting) return false;
  state_ = state::open;
  has_been_open_ = true;
  return true;
}

// ---- out ----------------------------------------------------------------------------------------

void channel::close_frame() noexcept {
  if (state_ != state::open) return;
  const std::span<const std::byte> frame = closed_frame();
  if (!send_by_ucx(kind::frame, frame)) return;
  parcel& posted = post_spare(frame.size());
  posted.frame = packer_.exchange(wire::packer::make_room());
}

bool channel::send_by_ucx(kind what, std::span<const std::byte> bytes) noexcept {
  ucp_request_param_t how{};
  how.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  how.flags = UCP_AM_SEND_FLAG_EAGER;
  how.cb.send = &channel::has_gone;
  how.user_data = spare_.get();
  const ucs_status_ptr_t sent = ucp_am_send_nbx(endpoint_, static_cast<unsigned>(what), nullptr, 0,
                                                bytes.data(), bytes.size(), &how);
  if (UCS_PTR_IS_ERR(sent)) fail("ucp_am_send_nbx", UCS_PTR_STATUS(sent));
  return UCS_PTR_IS_PTR(sent);
}

channel::parcel& channel::post_spare(std::size_t bytes) {
  parcel& posted = *spare_;
  posted.of = this;
  posted.bytes = bytes;
  going_bytes_ += bytes;
  going_.emplace(&posted, std::exchange(spare_, std::make_unique<parcel>()));
  return posted;
}

void channel::has_gone(void* request, ucs_status_t status, void* posted) noexcept {
  ucp_request_free(request);
  channel& self = *static_cast<parcel*>(posted)->of;
  self.going_bytes_ -= static_cast<parcel*>(posted)->bytes;
  self.going_.erase(static_cast<parcel*>(posted));
  if (self.short_of_room_ && self.going_bytes_ <= most_going) self.keeper_.has_news();
  if (status != UCS_OK) self.fail("ucp_am_send_nbx", status);
}

bool channel::short_of_room() noexcept {
  if (going_bytes_ > most_going) ways_.progress_quietly();
  short_of_room_ = going_bytes_ > most_going;
  return short_of_room_;
}

// ---- in -----------------------------------------------------------------------------------------

// UCX gives frames as wholes.
void channel::check_length(std::span<const std::byte> frame) noexcept {
  if (inside_frame_ ? unpacker_.frame_bytes() != frame.size() : state_ == state::open)
    lose(base::format("a frame of {} bytes comes as {}", unpacker_.needed(), frame.size()));
}

bool channel::take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept {
  if (state_ != state::open) return false;
  if (frame.size() < wire::frame_header_bytes || frame.size() > wire::most_frame_bytes) {
    lose(base::format("a frame of {} bytes; it may have {} to {}", frame.size(),
                      wire::frame_header_bytes, wire::most_frame_bytes));
    return false;
  }
  const std::uint32_t number = wire::unpacker::number_of(frame.data());
  if (inside_frame_ || budget == 0 || number != unpacker_.sequence())
    return keeps(number, frame, lent);
  if (!is_aligned(frame.data())) {
    std::memcpy(ucx_.room_for_frame(), frame.data(), frame.size());
    frame = {ucx_.room_for_frame(), frame.size()};
  }
  (void)begin_frame(frame);
  check_length(frame);
  if (state_ != state::open) return false;
  budget -= deliver(budget);
  if (state_ != state::open) return false;
  if (!inside_frame_) {
    if (is_next_here()) ways_.has_input(*this);  // it had come before this one
    return false;
  }
  const auto rest = kept_.try_emplace(number, ucx_.worker(), frame, lent).first;
  unpacker_.has_moved(rest->second.bytes().data());
  ways_.has_input(*this);
  return lent;
}

bool channel::keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept {
  const std::uint32_t ahead = number - unpacker_.sequence();
  if (ahead > most_ahead_ || kept_.contains(number)) {
    lose(base::format("a frame numbered {} comes where {} is due", number, unpacker_.sequence()));
    return false;
  }
  kept_.try_emplace(number, ucx_.worker(), frame, lent);
  ways_.has_input(*this);
  return lent;
}

void channel::take_kept(unsigned& budget) noexcept {
  while (budget != 0 && is_next_here()) next_kept(budget);
}

void channel::next_kept(unsigned& budget) noexcept {
  if (!inside_frame_) {
    const arrival& next = kept_.at(unpacker_.sequence());
    (void)begin_frame(next.bytes());
    check_length(next.bytes());
    if (state_ != state::open) return;
  }
  budget -= deliver(budget);
  if (!inside_frame_ && state_ == state::open) kept_.erase(unpacker_.sequence() - 1);
}

// For one who only tries and never polls: counters come in, up to the next message.
void channel::refresh() noexcept {
  flush();
  ways_.progress_quietly();
  while (is_next_here() && !(inside_frame_ && unpacker_.messages() != 0)) {
    if (inside_frame_) {
      unsigned one = 1;
      next_kept(one);
      continue;
    }
    const arrival& next = kept_.at(unpacker_.sequence());
    (void)begin_frame(next.bytes());
    check_length(next.bytes());
  }
}

// ---- the end ------------------------------------------------------------------------------------

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
