// One pair of ranks through UCX, as core sees it: a port, made of an endpoint, what goes out, what
// comes in, and bulk data that is put where the peer has memory for it.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/endpoint.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/incoming.hpp>
#include <transports/ucx/keeper.hpp>
#include <transports/ucx/outgoing.hpp>
#include <transports/ucx/standing.hpp>
#include <transports/ucx/transfers.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace am::detail::ucx {

// Beside waking, which UCX may not be able to.
inline constexpr seam::capabilities ucx_can{seam::capability::receives_unasked,
                                            seam::capability::segments};

class channel final : public seam::plain_port {
 public:
  using state = packed::state;

  // Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper, engine& ucx);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  void look() noexcept override {}  // would run handlers of others: what has come waits for a poll
  seam::reach put(seam::transfer& one) noexcept override { return bulk.put(one); }
  seam::reach get(seam::transfer& one) noexcept override { return bulk.get(one); }
  am_word* word_at(am_word* there) noexcept override { return bulk.word_at(there); }
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return frames_out_.exposed();
  }
  [[nodiscard]] std::string about_peer() const override;
  [[nodiscard]] std::string about_way() const override { return way.names_of_ways(); }

  // ---- for the transport, beside the parts ----
  [[nodiscard]] state at() const noexcept { return pair.at(); }
  [[nodiscard]] bool is_open() const noexcept { return pair.is_open(); }
  void flush() noexcept { out.flush(); }
  void publish() noexcept { out.publish(); }
  // Asks whether it hears this rank, which is reached by this contact; once.
  void greet(std::span<const std::byte> contact);
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && out.is_empty() && bulk.is_empty();
  }
  // Something is on its way that only progress brings further.
  [[nodiscard]] bool waits() const noexcept {
    return (at() <= state::open && !out.is_empty()) || bulk.waits();
  }
  void bury() noexcept;  // the peer is dead
  // Gives back what is UCX's, before that ends.
  void let_go() noexcept;

 private:
  packed::frame_writer frames_out_;

 public:
  packed::notes noted;
  standing pair;
  endpoint way;
  outgoing out;
  incoming in;
  transfers bulk;

 private:
  bool has_greeted_ = false;
};

}  // namespace am::detail::ucx
