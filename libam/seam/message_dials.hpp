// What AM_DIAL puts between core and the transports of a rank: the latter are wrapped, and core
// reports each handler that is about to run.
#pragma once

#include <libam/seam/inbox.hpp>
#include <libam/seam/transport.hpp>

#include <memory>

namespace am::detail::seam {

class message_dials {
 public:
  virtual ~message_dials() = default;

  // This object outlives the transport.
  virtual std::unique_ptr<transport> wrap(std::unique_ptr<transport> inner) = 0;

  // The message that runs has come by a wrapped transport: the next two are for such messages.
  [[nodiscard]] virtual bool delivers() const noexcept = 0;
  // The processor is busy for the overhead of receiving.
  virtual void before_handler(am_rank from, std::size_t bytes) noexcept = 0;
  virtual void after_handler() noexcept = 0;
  // The return path to be used in place of `back` for answers to `requester`; valid until the next
  // call.
  virtual return_path& dial_answers(return_path& back, am_rank requester) noexcept = 0;
};

}  // namespace am::detail::seam
