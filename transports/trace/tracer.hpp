// Records the messages of a rank (AM_TRACE): those that leave, by ports around the transports' own;
// and those that come, by the hooks around their handlers. The k-th message of a kind that leaves
// for a rank is the k-th that comes there from here, because the order of a pair is kept.
#pragma once

#include <libam/base/zeroed_array.hpp>
#include <libam/seam/message_hooks.hpp>
#include <libam/seam/return_path.hpp>
#include <libam/trace/writer.hpp>

#include <memory>
#include <utility>

namespace am::detail::trace {

class tracer;

// Records the answers that pass through it.
class traced_answers final : public seam::forwarding_return_path {
 public:
  explicit traced_answers(tracer& by) noexcept : tracer_(by) {}
  void wrap_for(am_rank requester, seam::return_path& inner) noexcept {
    wrap(inner);
    requester_ = requester;
  }

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override;
  void answer(const seam::answer& one) noexcept override;

 private:
  tracer& tracer_;
  am_rank requester_ = 0;
};

class tracer final : public seam::message_hooks {
 public:
  // The writer outlives it.
  tracer(const seam::transport_context& context, writer& to)
      : writer_(to), me_(context.rank), pairs_(context.ranks) {}

  std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner) override;
  void name_handlers(std::span<const seam::inbox::entry> table) override;
  [[nodiscard]] bool wants_handler() const noexcept override { return true; }
  // In a delivery a handler ends where the next one begins, or with the delivery: a poll waits for
  // nothing between two handlers, and that saves a reading for each.
  void before_handler(const seam::running_message&) noexcept override {
    const std::uint64_t now = writer_.now();
    end_handler(now);
    handled_.begin = now;
    if (count_++ == 0) poll_begin_ = now;
  }
  void after_handler(const seam::running_message& one) noexcept override;
  void before_carried() noexcept override { carried_begin_ = writer_.now(); }
  void after_carried(const seam::running_message& one) noexcept override {
    writer_.add({kind::carried, carried_begin_, one.from, one.handler, one.bytes});
  }
  seam::return_path& wrap_answers(seam::return_path& back, am_rank requester) noexcept override {
    if (requester == me_) return back;
    answers_.wrap_for(requester, back);
    return answers_;
  }

  // ---- for ports and transports ----
  [[nodiscard]] std::uint64_t now() const noexcept { return writer_.now(); }
  // A message has left that was begun at `begin`.
  void add_sent(kind what, std::uint64_t begin, am_rank to, std::uint32_t handler,
                std::size_t bytes) noexcept {
    std::uint32_t& sent = pairs_[to].sent[index_of(what)];
    writer_.add({what, begin, to, handler, bytes, sent++});
  }
  // The same for one that leaves now.
  void add_sent_now(kind what, am_rank to, std::uint32_t handler) noexcept {
    const std::uint64_t begin = now();
    writer_.add({what, begin, to, handler, 0, pairs_[to].sent[index_of(what)]++}, begin);
  }
  void add_get(std::uint64_t begin, am_rank from, std::size_t bytes) noexcept {
    writer_.add({kind::get, begin, from, 0, bytes});
  }
  // Runs a delivery of a wrapped transport, and records it if there were messages.
  template <class Deliver>
  auto deliver(Deliver&& delivery) noexcept {
    const bool inner = std::exchange(delivering_, true);
    if (!inner) count_ = 0;
    const auto taken = delivery();
    if (!inner && count_ != 0) end_delivery();
    delivering_ = inner;
    return taken;
  }

 private:
  void end_handler(std::uint64_t now) noexcept {
    if (handled_.what == kind::none) return;
    writer_.add(handled_, now);
    handled_.what = kind::none;
  }
  void end_delivery() noexcept {
    const std::uint64_t now = writer_.now();
    end_handler(now);
    writer_.add({kind::poll, poll_begin_, 0, 0, count_}, now);
  }

  // By kind: request, notice, answer.
  struct pair {
    std::uint32_t sent[3];
    std::uint32_t come[3];
  };
  static unsigned index_of(kind sent) noexcept {
    return static_cast<unsigned>(sent) - static_cast<unsigned>(kind::request);
  }
  [[nodiscard]] static kind kind_of(const seam::running_message& one) noexcept {
    if (!one.is_request) return kind::on_answer;
    return one.is_placed ? kind::on_notice : kind::on_request;
  }

  writer& writer_;
  const am_rank me_;
  base::zeroed_array<pair> pairs_;  // by rank
  traced_answers answers_{*this};
  writer::event handled_{kind::none, 0};  // the last handler, if its end is not known yet
  bool delivering_ = false;               // a wrapped transport delivers
  std::uint32_t count_ = 0;               // of handlers in this delivery
  std::uint64_t poll_begin_ = 0;          // of the first of them
  std::uint64_t carried_begin_ = 0;
};

}  // namespace am::detail::trace
