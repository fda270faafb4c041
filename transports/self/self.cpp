#include <transports/self/self.hpp>

#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/base/settings.hpp>

#include <cstring>
#include <new>

namespace am::detail::self {

namespace {
constexpr std::uint32_t most_credits = 256;

am_status resize(std::vector<std::byte>& room, std::size_t bytes) noexcept {
  try {
    room.resize(bytes);
    return AM_OK;
  } catch (const std::bad_alloc&) {
    return base::fail_with(AM_RESOURCE_MEMORY, "out of memory for messages to this rank itself");
  }
}

queue::message message_of(std::uint32_t handler, const am_word* words) noexcept {
  return {{words[0], words[1], words[2], words[3]}, handler, AM_OK, nullptr, 0, 0, false};
}
}  // namespace

std::unique_ptr<seam::transport> make(const seam::transport_context& context, std::string&) {
  return std::make_unique<self_transport>(context);
}

// One place more than credits: a request's place is in use until its handler has returned, and its
// reply may have returned the credit before.
self_transport::self_transport(const seam::transport_context& context)
    : plain_port(context.rank, {seam::capability::direct}),
      arrivals_(context.arrivals),
      requests_(std::min(context.settings.credits, most_credits) + 1),
      replies_(std::min(context.settings.credits, most_credits) + 1),
      payloads_(context.settings.max_medium),
      room_(payloads_.room()) {
  account_.raise_limit(std::min(context.settings.credits, most_credits));
}

seam::port* self_transport::connect(am_rank rank, std::span<const std::byte>, std::string& why) {
  if (rank == peer) return this;
  why = "self reaches this rank alone";
  return nullptr;
}

void self_transport::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept {
  requests_.push({{w0, w1, w2, w3}, handler, AM_OK, nullptr, 0, 0, false});
}

am_status self_transport::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                      std::size_t bytes) noexcept {
  queue::message one = message_of(handler, words);
  const am_status status = copy_payload(one, data, bytes);
  if (status == AM_OK) requests_.push(one);
  return status;
}

am_status self_transport::send_with_room(std::uint32_t handler, const am_word* words,
                                         const void* data, std::size_t bytes,
                                         seam::answer_place room) noexcept {
  queue::message one = message_of(handler, words);
  one.room = room;
  const am_status status = bytes == 0 ? AM_OK : copy_payload(one, data, bytes);
  if (status == AM_OK) requests_.push(one);
  return status;
}

// The payload of a request.
am_status self_transport::copy_payload(queue::message& one, const void* data,
                                       std::size_t bytes) noexcept {
  if (payload_.empty()) {
    if (const am_status status = resize(payload_, room_.size()); status != AM_OK) return status;
  }
  const auto place = room_.take(bytes);
  if (!place) return AM_AGAIN_PAYLOAD;
  std::byte* copy = payload_.data() + place->offset;
  if (bytes != 0) std::memcpy(copy, data, bytes);
  one.data = copy;
  one.bytes = bytes;
  one.payload_end = place->end;
  one.has_payload_room = true;
  return AM_OK;
}

am_status self_transport::make_answer_room(std::size_t bytes) noexcept {
  return resize(answers_, bytes);
}

void self_transport::send_notice(std::uint32_t handler, const am_word* words, void* where,
                                 std::size_t bytes) noexcept {
  requests_.push({{words[0], words[1], words[2], words[3]},
                  handler,
                  AM_OK,
                  static_cast<const std::byte*>(where),
                  bytes,
                  0,
                  false});
}

// The kernel copies, since a wrong address would end this rank.
seam::transfer_status self_transport::put(seam::transfer& one) noexcept {
  const seam::transfer_status done = place(one.there, one.here, one.bytes);
  if (done != seam::transfer_status::done) return done;
  send_notice(one.handler, one.words, one.there, one.bytes);
  return seam::transfer_status::done;
}
seam::transfer_status self_transport::get(seam::transfer& one) noexcept {
  const base::copy_status done = base::copy_checked(one.here, one.there, one.bytes);
  if (done == base::copy_status::all) return seam::transfer_status::done;
  // copy_checked's remote side is where it copies to: `here`.
  return done == base::copy_status::bad_remote_address ? seam::transfer_status::bad_local_address
                                                       : seam::transfer_status::bad_remote_address;
}

am_status self_transport::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                                am_word w3) noexcept {
  replies_.push({{w0, w1, w2, w3}, handler, AM_OK, nullptr, 0, 0, false});
  return AM_OK;
}

void self_transport::reply_at(std::uint32_t handler, const am_word* words, void* where,
                              std::size_t bytes) noexcept {
  queue::message one = message_of(handler, words);
  one.data = static_cast<const std::byte*>(where);
  one.bytes = bytes;
  replies_.push(one);
}

void self_transport::return_request(am_status reason, std::uint32_t handler,
                                    const am_word* words) noexcept {
  queue::message one = message_of(handler, words);
  one.reason = reason;
  replies_.push(one);
}

// The request that is being answered is the first one.
void self_transport::answer(const seam::answer& one) noexcept {
  queue::message m = message_of(one.handler, one.words);
  m.room = requests_.front().room;
  m.form = one.what;
  m.reason = one.reason;
  m.data = static_cast<const std::byte*>(one.data);
  m.bytes = one.bytes;
  if (one.what == seam::answer::form::payload)
    std::memcpy(answers_.data() + m.room->offset, one.data, one.bytes);
  replies_.push(m);
}

seam::transfer_status self_transport::place(void* where, const void* data,
                                            std::size_t bytes) noexcept {
  const base::copy_status done = base::copy_checked(where, data, bytes);
  if (done == base::copy_status::all) return seam::transfer_status::done;
  return done == base::copy_status::bad_local_address ? seam::transfer_status::bad_local_address
                                                      : seam::transfer_status::bad_remote_address;
}

unsigned self_transport::poll(unsigned budget) noexcept {
  const unsigned replies = run_replies(budget);
  return replies + run_requests(budget - replies);
}

unsigned self_transport::deliver_from(am_rank, seam::message_class which, unsigned most) noexcept {
  return which == seam::message_class::request ? run_requests(most) : run_replies(most);
}

unsigned self_transport::run_requests(unsigned most) noexcept {
  unsigned taken = 0;
  for (; taken < most && !requests_.empty(); ++taken) run_request();
  return taken;
}

unsigned self_transport::run_replies(unsigned most) noexcept {
  unsigned taken = 0;
  for (; taken < most && !replies_.empty(); ++taken) run_reply();
  return taken;
}

void self_transport::run_request() noexcept {
  const queue::message& m = requests_.front();
  seam::inbox::batch requests(arrivals_, peer, this);
  if (m.room)
    requests.request_with_room(m.handler, m.words, m.data, m.bytes, m.room->bytes);
  else if (!requests.request(m.handler, m.words, m.data, m.bytes))
    account_.book_replies(1);
  if (m.has_payload_room) room_.update_released(m.payload_end);
  requests_.pop();
}

void self_transport::run_reply() noexcept {
  const queue::message& m = replies_.front();
  seam::inbox::batch replies(arrivals_, peer, nullptr);
  if (m.room) {
    const bool payload = m.form == seam::answer::form::payload;
    replies.deliver_answer({m.form, m.handler, m.words,
                            payload ? answers_.data() + m.room->offset : m.data, m.bytes,
                            m.reason});
  } else if (m.reason != AM_OK) {
    replies.deliver_returned(m.reason, m.handler, m.words);
  } else if (m.data == nullptr) {
    replies.reply(m.handler, m.words);
  } else {
    replies.placed_reply(m.handler, m.words, m.data, m.bytes);
  }
  replies_.pop();
  account_.book_replies(1);
}

}  // namespace am::detail::self
