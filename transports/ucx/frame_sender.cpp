// UCX keeps the order of messages that go in one fragment, and lets them overtake longer ones. A
// frame has a number, so it may come out of order. A lone message without its frame has none: it
// takes the next number, and is sent only where no frame is in flight that it could overtake.
#include <transports/ucx/frame_sender.hpp>

#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {
// Payload that UCX has not taken yet; a call with more waits, too.
constexpr std::size_t max_in_flight_bytes = std::size_t{256} * 1024;
}  // namespace

frame_sender::frame_sender(engine& ucx, ucx_endpoint& to, pair_state& pair,
                           packed::frame_writer& frames, peers& all_peers, channel_manager& manager)
    : ucx_(ucx), ep_(to), pair_(pair), frames_(frames), peers_(all_peers), manager_(manager) {
  send_params_.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  send_params_.flags = UCP_AM_SEND_FLAG_EAGER;
  send_params_.cb.send = &frame_sender::on_send_complete;
  make_spare();
}

void frame_sender::make_spare() {
  spare_ = std::make_unique<send_buffer>();
  spare_->owner = this;
  send_params_.user_data = spare_.get();
}

void frame_sender::send_control(kind what, std::span<const std::byte> bytes) {
  spare_->control.resize(sizeof(std::uint32_t) + bytes.size());
  wire::write_number(spare_->control.data(), std::uint32_t{ucx_.own_rank()});
  std::ranges::copy(bytes, spare_->control.begin() + sizeof(std::uint32_t));
  if (send_am(static_cast<unsigned>(what), spare_->control)) (void)post_spare(0);
}

// ---- the open frame -----------------------------------------------------------------------------

void frame_sender::on_message_added(bool send_now) noexcept {
  if (!send_now) return peers_.note_open_frame(pair_.owner());
  send_frame();
  manager_.on_frame_sent();
}

void frame_sender::flush() noexcept {
  if (pair_.is_open() && frames_.has_messages()) send_frame();
}

void frame_sender::publish() noexcept {
  if (pair_.is_open() && frames_.has_unpublished()) send_frame();
}

void frame_sender::send_answers() noexcept {
  if (pair_.is_open() && frames_.has_to_answer()) send_frame();
  if (frames_.has_unpublished()) peers_.note_unpublished(pair_.owner());
}

void frame_sender::send_goodbye() noexcept {
  if (!pair_.is_open()) return;
  frames_.goodbye();
  send_frame();
}

void frame_sender::send_frame() noexcept {
  if (try_send_without_frame()) return;
  const std::span<const std::byte> frame = frames_.close();
  if (frame.size() > engine::single_fragment_bytes)
    frameless_from_ = frames_.answered_once_received();
  if (!send_am(static_cast<unsigned>(kind::frame), frame)) return;
  send_buffer& posted = post_spare(frame.size());
  posted.frame = frames_.take_buffer();
}

bool frame_sender::try_send_without_frame() noexcept {
  const auto one = frames_.lone_message();
  if (!one || frames_.answered() < frameless_from_) return false;
  const unsigned id = ids_.find(one->kind, one->handler);
  if (id == 0) {
    if (ids_.count_miss(one->kind, one->handler))
      send_control(kind::id_request, short_id_key{one->kind, one->handler}.encode());
    return false;
  }
  frames_.close_without_frame();
  if (send_am(id + (one->has_silent ? 1 : 0), one->words))
    post_spare(one->words.size()).frame = frames_.take_buffer();
  return true;
}

bool frame_sender::learn_id(std::span<const std::byte> offer) {
  const auto one = offered_id::decode(offer);
  if (one && ucx_.keeps_order()) ids_.learn(*one);
  return one.has_value();
}

// ---- what UCX still reads -----------------------------------------------------------------------

bool frame_sender::send_am(unsigned id, std::span<const std::byte> bytes) noexcept {
  const ucs_status_ptr_t sent =
      ucp_am_send_nbx(ep_.handle(), id, nullptr, 0, bytes.data(), bytes.size(), &send_params_);
  if (UCS_PTR_IS_ERR(sent)) pair_.fail("ucp_am_send_nbx", UCS_PTR_STATUS(sent));
  return UCS_PTR_IS_PTR(sent);
}

frame_sender::send_buffer& frame_sender::post_spare(std::size_t bytes) {
  send_buffer& posted = *spare_;
  posted.bytes = bytes;
  in_flight_bytes_ += bytes;
  in_flight_.emplace(&posted, std::move(spare_));
  make_spare();
  return posted;
}

void frame_sender::on_send_complete(void* request, ucs_status_t status, void* posted) noexcept {
  ucp_request_free(request);
  frame_sender& self = *static_cast<send_buffer*>(posted)->owner;
  self.in_flight_bytes_ -= static_cast<send_buffer*>(posted)->bytes;
  self.in_flight_.erase(static_cast<send_buffer*>(posted));
  if (self.short_of_room_ && self.in_flight_bytes_ <= max_in_flight_bytes)
    self.peers_.note_credits_or_room();
  if (status != UCS_OK) self.pair_.fail("ucp_am_send_nbx", status);
}

bool frame_sender::is_short_of_room() noexcept {
  if (in_flight_bytes_ > max_in_flight_bytes) manager_.progress_without_delivery();
  short_of_room_ = in_flight_bytes_ > max_in_flight_bytes;
  return short_of_room_;
}

}  // namespace am::detail::ucx
