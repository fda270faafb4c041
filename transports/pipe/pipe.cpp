// A rank's messages to itself as bytes in a pipe: the sample of docs/writing-a-transport.md. It is
// built for the tests and not installed.
#include <libam/base/error.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/seam/module.hpp>
#include <libam/seam/plain.hpp>
#include <libam/wire/payload_room.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace am::detail::pipe {
using form = seam::answer::form;
enum class kind : std::uint8_t { request, notice, answer };

// Begins every message; the payload of a request or an answer follows. Messages are multiples of 16
// bytes long, so that payload is aligned for any type.
struct header {
  kind what;
  form how;            // of an answer
  std::uint32_t room;  // of a request: the bytes that its answer may have; of such an answer: not 0
  std::uint32_t handler;
  am_status reason;  // of a returned request
  am_word words[AM_WORDS];
  const void* where = nullptr;  // the bytes that a notice or a reply is about
  std::size_t bytes = 0;
  bool has_payload() const noexcept {
    return what == kind::request || (what == kind::answer && how == form::payload);
  }
  std::size_t size() const noexcept {
    return sizeof *this + (has_payload() ? bytes + wire::padding_before(16, bytes) : 0);
  }
};

class pipe_transport final : public seam::plain_transport, seam::plain_port, seam::return_path {
 public:
  pipe_transport(const seam::transport_context& context, const int (&ends)[2])
      : plain_port(context.rank, {}), arrivals_(context.arrivals), in_(ends[0]), out_(ends[1]) {
    account_.raise_limit(std::min(context.settings.credits, 256U));
    constexpr wire::payload_sizes sizes;
    unsent_.reserve((account_.limit() + 1) * sizeof(header) + sizes.most_payload() +
                    sizes.most_answer_room());
  }
  std::string_view name() const noexcept override { return "pipe"; }
  std::vector<std::byte> address() const override { return {}; }
  port* connect(am_rank rank, std::span<const std::byte>, std::string& why) override {
    if (rank != peer) why = "a pipe leads back to its own rank alone";
    return rank == peer ? this : nullptr;
  }
  seam::capabilities caps() const noexcept override { return {seam::capability::wakes}; }
  std::size_t max_medium() const noexcept override { return wire::default_max_medium; }
  unsigned poll(unsigned budget) noexcept override {
    exchange();
    unsigned ran = 0;
    for (; ran < budget && front() != nullptr; ++ran) begin_ += deliver(*front());
    return ran;
  }
  void advance() noexcept override { exchange(); }
  bool has_come(am_rank, seam::message_class) noexcept override { return front() != nullptr; }
  unsigned deliver_from(am_rank, seam::message_class, unsigned n) noexcept override {
    return poll(n);
  }
  am_status flush() noexcept override { return write_unsent() ? AM_OK : AM_AGAIN_CONNECTING; }
  int wake_descriptor() const noexcept override { return in_.get(); }
  std::chrono::nanoseconds arm() noexcept override {
    exchange();
    return std::chrono::nanoseconds(unsent_.empty() && begin_ == end_ ? INT64_MAX : 0);
  }

 private:
  void send(std::uint32_t h, am_word a, am_word b, am_word c, am_word d) noexcept override {
    add({kind::request, {}, 0, h, AM_OK, {a, b, c, d}});
  }
  am_status send_medium(std::uint32_t h, const am_word* w, const void* data,
                        std::size_t bytes) noexcept override {
    return send_with_room(h, w, data, bytes, {0, 0});
  }
  am_status send_with_room(std::uint32_t h, const am_word* w, const void* data, std::size_t bytes,
                           seam::answer_place room) noexcept override {
    if (!write_unsent()) return AM_AGAIN_PAYLOAD;
    add({kind::request, {}, room.bytes, h, AM_OK, {w[0], w[1], w[2], w[3]}, data, bytes});
    return AM_OK;
  }
  void send_notice(std::uint32_t h, const am_word* w, void* at, std::size_t n) noexcept override {
    add({kind::notice, {}, 0, h, AM_OK, {w[0], w[1], w[2], w[3]}, at, n});
  }
  void poll_once() noexcept override { (void)poll(8); }
  void refresh_credits() noexcept override {}
  am_status reply(std::uint32_t h, am_word a, am_word b, am_word c, am_word d) noexcept override {
    add({kind::answer, form::words, 0, h, AM_OK, {a, b, c, d}});
    return AM_OK;
  }
  void reply_at(std::uint32_t h, const am_word* w, void* at, std::size_t n) noexcept override {
    add({kind::answer, form::placed, 0, h, AM_OK, {w[0], w[1], w[2], w[3]}, at, n});
  }
  void return_request(am_status why, std::uint32_t h, const am_word* w) noexcept override {
    add({kind::answer, form::returned, 0, h, why, {w[0], w[1], w[2], w[3]}});
  }
  void answer(const seam::answer& a) noexcept override {
    const am_word* const w = a.words;
    add({kind::answer, a.what, 1, a.handler, a.reason, {w[0], w[1], w[2], w[3]}, a.data, a.bytes});
  }
  void add(const header& m) noexcept {
    const std::size_t at = unsent_.size();
    unsent_.resize(at + m.size());  // within the reserved memory
    std::memcpy(&unsent_[at], &m, sizeof m);
    if (m.has_payload() && m.bytes != 0) std::memcpy(&unsent_[at + sizeof m], m.where, m.bytes);
    write_unsent();
  }
  // True: nothing is left unsent.
  bool write_unsent() noexcept {
    const ssize_t sent = ::write(out_.get(), unsent_.data(), unsent_.size());
    if (sent > 0) unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    return unsent_.empty();
  }
  void exchange() noexcept {
    write_unsent();
    std::memmove(input_, input_ + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    const ssize_t got = ::read(in_.get(), input_ + end_, sizeof input_ - end_);
    if (got > 0) end_ += static_cast<std::size_t>(got);
  }
  const header* front() noexcept {
    const auto* m = reinterpret_cast<const header*>(input_ + begin_);
    if (end_ - begin_ < sizeof *m) return nullptr;
    if (account_.in_flight() == 0 || m->what > kind::answer || m->how > form::returned ||
        (m->has_payload() && m->bytes > wire::payload_sizes().most_payload())) {
      arrivals_.report_loss(peer, "its pipe has delivered what no rank has sent");
      end_ = begin_;
      in_ = base::fd();
      return nullptr;
    }
    return end_ - begin_ < m->size() ? nullptr : m;
  }
  std::size_t deliver(const header& m) noexcept {
    seam::inbox::batch one(arrivals_, peer, m.what < kind::answer ? this : nullptr);
    const void* const data = !m.has_payload() ? m.where : m.bytes != 0 ? &m + 1 : nullptr;
    bool answered = false;
    if (m.what == kind::notice)
      answered = one.notice(m.handler, m.words, data, m.bytes);
    else if (m.what == kind::answer)
      deliver_answer(one, {m.how, m.handler, m.words, data, m.bytes, m.reason}, m.room != 0);
    else if (m.room == 0)
      answered = one.request(m.handler, m.words, data, m.bytes);
    else
      one.request_with_room(m.handler, m.words, data, m.bytes, m.room), answered = true;
    if (!answered) account_.book_replies(1);
    return m.size();
  }
  static void deliver_answer(seam::inbox::batch& one, const seam::answer& a, bool room) noexcept {
    if (room) return one.deliver_answer(a);
    switch (a.what) {
      case form::words: return one.reply(a.handler, a.words);
      case form::placed: return one.placed_reply(a.handler, a.words, a.data, a.bytes);
      case form::returned: return one.deliver_returned(a.reason, a.handler, a.words);
      case form::payload: return;
    }
  }
  seam::inbox& arrivals_;
  base::fd in_, out_;
  std::vector<std::byte> unsent_;
  alignas(16) std::byte input_[64 * 1024];
  std::size_t begin_ = 0, end_ = 0;  // of what has been read and not handled
};

std::unique_ptr<seam::transport> make(const seam::transport_context& context, std::string& why) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0)
    return std::make_unique<pipe_transport>(context, ends);
  why = base::format("no pipe: {}", base::errno_text(errno));
  return nullptr;
}

extern "C" [[gnu::visibility("default")]] const seam::module_table* am_module() noexcept {
  static constexpr seam::module_table all{base::version_text, &base::use_error_buffer, &make,
                                          nullptr};
  return &all;
}
}  // namespace am::detail::pipe
