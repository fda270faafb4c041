// What AM_DIAL and AM_TRACE put between core and the transports of a rank: the latter are wrapped,
// and core reports each handler that is about to run, and that has run.
#pragma once

#include <libam/seam/inbox.hpp>
#include <libam/seam/transport.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace am::detail::seam {

// A message whose handler runs.
struct running_message {
  am_rank from;
  std::uint32_t handler;
  std::size_t bytes;
  bool is_request;
  bool is_placed;  // its bytes were in place before it
};

class handler_hooks {
 public:
  virtual ~handler_hooks() = default;

  // Handlers have these numbers and names from now on.
  virtual void name_handlers(std::span<const inbox::entry> table) = 0;

  // Whether it wants to know of the message that runs: the next two are for such messages.
  [[nodiscard]] virtual bool wants_handler() const noexcept = 0;
  virtual void before_handler(const running_message& one) noexcept = 0;
  virtual void after_handler(const running_message& one) noexcept = 0;
  // A handler that the message which runs carries: it runs within that one's. The message is its
  // own, but for the handler.
  virtual void before_carried() noexcept {}
  virtual void after_carried(const running_message&) noexcept {}
  // The return path to be used in place of `back` for answers to `requester`; valid until the next
  // call.
  virtual return_path& wrap_answers(return_path& back, am_rank requester) noexcept = 0;
};

class message_hooks : public handler_hooks {
 public:
  // This object outlives the transport.
  virtual std::unique_ptr<transport> wrap(std::unique_ptr<transport> inner) = 0;
};

}  // namespace am::detail::seam
