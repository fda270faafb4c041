// UCX keeps the order of messages that go in one fragment, and lets them pass longer ones. A frame
// says its number, so it may come out of turn. A lone message that goes without its frame says
// none: it takes the next number, where no frame is on its way that it could pass.
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/outgoing.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {
// Payload that UCX has not taken yet; a call with more waits, too.
constexpr std::size_t most_going = std::size_t{256} * 1024;
}  // namespace

outgoing::outgoing(engine& ucx, endpoint& to, standing& pair, packed::frame_writer& frames,
                   peers& all, channel_keeper& keeper)
    : ucx_(ucx), to_(to), pair_(pair), frames_(frames), peers_(all), keeper_(keeper) {
  how_.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  how_.flags = UCP_AM_SEND_FLAG_EAGER;
  how_.cb.send = &outgoing::has_gone;
  make_spare();
}

void outgoing::make_spare() {
  spare_ = std::make_unique<parcel>();
  spare_->of = this;
  how_.user_data = spare_.get();
}

void outgoing::tell(kind what, std::span<const std::byte> bytes) {
  spare_->note.resize(sizeof(std::uint32_t) + bytes.size());
  wire::write_number(spare_->note.data(), std::uint32_t{ucx_.own_rank()});
  std::ranges::copy(bytes, spare_->note.begin() + sizeof(std::uint32_t));
  if (send_by_ucx(static_cast<unsigned>(what), spare_->note)) (void)post_spare(0);
}

// ---- the open frame -----------------------------------------------------------------------------

void outgoing::has_message(bool leaves_now) noexcept {
  if (!leaves_now) return peers_.has_open_frame(pair_.of());
  send_frame();
  keeper_.has_sent();
}

void outgoing::flush() noexcept {
  if (pair_.is_open() && frames_.has_messages()) send_frame();
}

void outgoing::publish() noexcept {
  if (pair_.is_open() && frames_.owes()) send_frame();
}

void outgoing::answer() noexcept {
  if (pair_.is_open() && frames_.has_to_answer()) send_frame();
  if (frames_.owes()) peers_.has_debt(pair_.of());
}

void outgoing::say_goodbye() noexcept {
  if (!pair_.is_open()) return;
  frames_.goodbye();
  send_frame();
}

void outgoing::send_frame() noexcept {
  if (goes_without_frame()) return;
  const std::span<const std::byte> frame = frames_.close();
  if (frame.size() > engine::small_message) whole_at_ = frames_.requests_that_tell();
  if (!send_by_ucx(static_cast<unsigned>(kind::frame), frame)) return;
  parcel& posted = post_spare(frame.size());
  posted.frame = frames_.exchange(wire::packer::make_room(ucx_.payloads()));
}

bool outgoing::goes_without_frame() noexcept {
  const auto one = frames_.lone_message();
  if (!one || frames_.answered() < whole_at_) return false;
  const unsigned id = ids_.find(one->kind, one->handler);
  if (id == 0) {
    if (ids_.missed(one->kind, one->handler))
      tell(kind::wish, short_form{one->kind, one->handler}.encode());
    return false;
  }
  frames_.close_without_frame();
  if (send_by_ucx(id + (one->has_silent ? 1 : 0), one->words))
    post_spare(one->words.size()).frame =
        frames_.exchange(wire::packer::make_room(ucx_.payloads()));
  return true;
}

bool outgoing::learn_id(std::span<const std::byte> offer) {
  const auto one = offered_id::decode(offer);
  if (one && ucx_.keeps_order()) ids_.learn(*one);
  return one.has_value();
}

// ---- what UCX still reads -----------------------------------------------------------------------

bool outgoing::send_by_ucx(unsigned id, std::span<const std::byte> bytes) noexcept {
  const ucs_status_ptr_t sent =
      ucp_am_send_nbx(to_.handle(), id, nullptr, 0, bytes.data(), bytes.size(), &how_);
  if (UCS_PTR_IS_ERR(sent)) pair_.fail("ucp_am_send_nbx", UCS_PTR_STATUS(sent));
  return UCS_PTR_IS_PTR(sent);
}

outgoing::parcel& outgoing::post_spare(std::size_t bytes) {
  parcel& posted = *spare_;
  posted.bytes = bytes;
  going_bytes_ += bytes;
  going_.emplace(&posted, std::move(spare_));
  make_spare();
  return posted;
}

void outgoing::has_gone(void* request, ucs_status_t status, void* posted) noexcept {
  ucp_request_free(request);
  outgoing& self = *static_cast<parcel*>(posted)->of;
  self.going_bytes_ -= static_cast<parcel*>(posted)->bytes;
  self.going_.erase(static_cast<parcel*>(posted));
  if (self.short_of_room_ && self.going_bytes_ <= most_going) self.peers_.has_news();
  if (status != UCS_OK) self.pair_.fail("ucp_am_send_nbx", status);
}

bool outgoing::is_short_of_room() noexcept {
  if (going_bytes_ > most_going) keeper_.progress_quietly();
  short_of_room_ = going_bytes_ > most_going;
  return short_of_room_;
}

}  // namespace am::detail::ucx
