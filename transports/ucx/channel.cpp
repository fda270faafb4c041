// First contact, and the sending half: messages into the open frame, and frames to UCX.
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace am::detail::ucx {

namespace {

// A fragment of UCX's shared-memory and TCP transports has 8 KiB for both headers and the frame.
constexpr std::size_t full_frame = std::size_t{8} * 1024 - 128;
// Payload that UCX has not taken yet; a call with more waits, too.
constexpr std::size_t most_going = std::size_t{256} * 1024;

}  // namespace

// Every frame but goodbye's has a message that took a credit of one side or the other, or tells of
// silent requests, of which each took one.
channel::channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper,
                 engine& ucx)
    : plain_port(to, ucx_can),
      frames_out_(account_, host.settings.credits, full_frame, host.rank, ucx.payloads()),
      peers_(all),
      keeper_(keeper),
      arrivals_(host.arrivals),
      frames_in_(host.arrivals, to, account_, frames_out_, to, ucx.payloads()),
      ucx_(ucx),
      most_ahead_(4 * host.settings.credits + 64),
      spare_(std::make_unique<parcel>()) {
  account_.raise_limit(host.settings.credits);
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

void channel::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
  send_if(frames_out_.request(handler, w0, w1, w2, w3));
}

am_status channel::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  if (is_short_of_room()) return AM_AGAIN_PAYLOAD;
  send_if(frames_out_.medium(handler, words, data, bytes));
  return AM_OK;
}

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  send_if(frames_out_.notice(handler, words, where, bytes));
}

// The next polls look more often, also where nothing is left to be sent then.
void channel::send_if(bool now) noexcept {
  peers_.has_open_frame(*this);
  if (now) send_frame();
}

void channel::flush() noexcept {
  if (state_ == state::open && frames_out_.has_messages()) send_frame();
}

void channel::publish() noexcept {
  if (state_ == state::open && frames_out_.owes()) send_frame();
}

void channel::answer() noexcept {
  if (state_ == state::open && frames_out_.has_to_answer()) send_frame();
  if (frames_out_.owes()) peers_.has_debt(*this);
}

void channel::say_goodbye() noexcept {
  if (state_ != state::open) return;
  frames_out_.goodbye();
  send_frame();
}

// Where the channel is open.
void channel::send_frame() noexcept {
  const std::span<const std::byte> frame = frames_out_.close();
  if (!send_by_ucx(kind::frame, frame)) return;
  parcel& posted = post_spare(frame.size());
  posted.frame = frames_out_.exchange(wire::packer::make_room(ucx_.payloads()));
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
  if (self.short_of_room_ && self.going_bytes_ <= most_going) self.peers_.has_news();
  if (status != UCS_OK) self.fail("ucp_am_send_nbx", status);
}

bool channel::is_short_of_room() noexcept {
  if (going_bytes_ > most_going) keeper_.progress_quietly();
  short_of_room_ = going_bytes_ > most_going;
  return short_of_room_;
}

}  // namespace am::detail::ucx
