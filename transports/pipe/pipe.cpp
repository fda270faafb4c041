// A rank's messages to itself as bytes in a pipe: the sample of docs/writing-a-transport.md. It is
// built for the tests and not installed.
#include <libam/base/fd.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/seam/module.hpp>
#include <libam/seam/plain.hpp>
#include <libam/wire/payload_room.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cstring>

namespace am::detail::pipe {
enum class kind : std::uint64_t { request, notice, reply, reply_at, returned };

// The start of every message; the payload of a request follows. All of it is a multiple of 16 bytes
// long, so that payload is aligned for any type.
struct header {
  kind what;
  std::uint32_t handler;
  am_status reason;  // of a request that comes back
  am_word words[AM_WORDS];
  const void* where = nullptr;  // the bytes that a notice or a reply is about
  std::size_t bytes = 0;
  std::size_t size() const noexcept {
    return sizeof *this + (what == kind::request ? bytes + wire::gap_before(16, bytes) : 0);
  }
};

class pipe_transport final : public seam::plain_transport, seam::plain_port, seam::way_back {
 public:
  pipe_transport(const seam::host& host, const int (&ends)[2])
      : plain_port(host.rank, {}), arrivals_(host.arrivals), in_(ends[0]), out_(ends[1]) {
    account_.raise_limit(std::min(host.settings.credits, 256U));
    unsent_.reserve((account_.limit() + 1) * sizeof(header) + wire::payload_sizes().most_payload());
  }
  std::string_view name() const noexcept override { return "pipe"; }
  std::vector<std::byte> address() const override { return {}; }
  port* connect(am_rank rank, std::span<const std::byte>, std::string& why) override {
    if (rank != peer) why = "a pipe leads back to its own rank alone";
    return rank == peer ? this : nullptr;
  }
  seam::capabilities can() const noexcept override { return {seam::capability::wakes}; }
  std::size_t max_medium() const noexcept override { return wire::usual_max_medium; }
  unsigned poll(unsigned budget) noexcept override {
    exchange();
    unsigned ran = 0;
    for (; ran < budget && front() != nullptr; ++ran) begin_ += deliver(*front());
    return ran;
  }
  am_status flush() noexcept override { return write_on() ? AM_OK : AM_AGAIN_CONNECTING; }
  int wake_descriptor() const noexcept override { return in_.get(); }
  std::chrono::nanoseconds arm() noexcept override {
    exchange();
    return std::chrono::nanoseconds(unsent_.empty() && begin_ == end_ ? INT64_MAX : 0);
  }

 private:
  void send(std::uint32_t h, am_word a, am_word b, am_word c, am_word d) noexcept override {
    add({kind::request, h, AM_OK, {a, b, c, d}});
  }
  am_status send_medium(std::uint32_t h, const am_word* w, const void* data,
                        std::size_t bytes) noexcept override {
    if (!write_on()) return AM_AGAIN_PAYLOAD;
    add({kind::request, h, AM_OK, {w[0], w[1], w[2], w[3]}, nullptr, bytes}, data);
    return AM_OK;
  }
  void send_bulk(std::uint32_t h, const am_word* w, void* at, std::size_t n) noexcept override {
    add({kind::notice, h, AM_OK, {w[0], w[1], w[2], w[3]}, at, n});
  }
  void look() noexcept override { (void)poll(8); }
  void refresh() noexcept override {}
  am_status reply(std::uint32_t h, am_word a, am_word b, am_word c, am_word d) noexcept override {
    add({kind::reply, h, AM_OK, {a, b, c, d}});
    return AM_OK;
  }
  void reply_at(std::uint32_t h, const am_word* w, void* at) noexcept override {
    add({kind::reply_at, h, AM_OK, {w[0], w[1], w[2], w[3]}, at});
  }
  void give_back(am_status why, std::uint32_t h, const am_word* w) noexcept override {
    add({kind::returned, h, why, {w[0], w[1], w[2], w[3]}});
  }
  void add(const header& m, const void* payload = nullptr) noexcept {
    const std::size_t at = unsent_.size();
    unsent_.resize(at + m.size());  // in the room that is reserved
    std::memcpy(&unsent_[at], &m, sizeof m);
    if (payload != nullptr) std::memcpy(&unsent_[at + sizeof m], payload, m.bytes);
    write_on();
  }
  // True: the pipe has taken all there was.
  bool write_on() noexcept {
    const ssize_t sent = ::write(out_.get(), unsent_.data(), unsent_.size());
    if (sent > 0) unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    return unsent_.empty();
  }
  void exchange() noexcept {
    write_on();
    std::memmove(input_, input_ + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    const ssize_t got = ::read(in_.get(), input_ + end_, sizeof input_ - end_);
    if (got > 0) end_ += static_cast<std::size_t>(got);
  }
  const header* front() noexcept {
    const auto* m = reinterpret_cast<const header*>(input_ + begin_);
    if (end_ - begin_ < sizeof *m) return nullptr;
    if (account_.on_their_way() == 0 || m->what > kind::returned ||
        (m->what == kind::request && m->bytes > wire::payload_sizes().most_payload())) {
      arrivals_.hear_of_loss(peer, "its pipe has brought what nobody has sent");
      end_ = begin_;
      in_ = base::fd();
      return nullptr;
    }
    return end_ - begin_ < m->size() ? nullptr : m;
  }
  std::size_t deliver(const header& m) noexcept {
    seam::inbox::batch one(arrivals_, peer, m.what < kind::reply ? this : nullptr);
    const void* const payload = m.bytes != 0 ? &m + 1 : nullptr;
    bool answered = false;
    switch (m.what) {
      case kind::request: answered = one.request(m.handler, m.words, payload, m.bytes); break;
      case kind::notice: answered = one.notice(m.handler, m.words, m.where, m.bytes); break;
      case kind::reply: one.reply(m.handler, m.words); break;
      case kind::reply_at: one.placed_reply(m.handler, m.words, m.where, 0); break;
      case kind::returned: one.returned(m.reason, m.handler, m.words); break;
    }
    if (!answered) account_.replies_consumed(1);
    return m.size();
  }
  seam::inbox& arrivals_;
  base::fd in_, out_;
  std::vector<std::byte> unsent_;
  alignas(16) std::byte input_[64 * 1024];
  std::size_t begin_ = 0, end_ = 0;  // of what has been read and not handled
};

std::unique_ptr<seam::transport> make(const seam::host& host, std::string& why) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0)
    return std::make_unique<pipe_transport>(host, ends);
  why = "the system gives no pipe";
  return nullptr;
}

extern "C" [[gnu::visibility("default")]] const seam::module_table* am_module() noexcept {
  static constexpr seam::module_table all{base::version_text, &base::keep_lines_in, &make, nullptr};
  return &all;
}
}  // namespace am::detail::pipe
