// The hooks of AM_DIAL and of AM_TRACE where both are set: what a message costs more is in the
// trace.
#pragma once

#include <libam/seam/message_hooks.hpp>

namespace am::detail::core {

class both_hooks final : public seam::handler_hooks {
 public:
  // Both outlive it.
  both_hooks(seam::handler_hooks& dials, seam::handler_hooks& tracer) noexcept
      : dials_(dials), tracer_(tracer) {}

  void name_handlers(std::span<const seam::inbox::entry> table) override {
    dials_.name_handlers(table);
    tracer_.name_handlers(table);
  }
  [[nodiscard]] bool wants_handler() const noexcept override { return tracer_.wants_handler(); }
  void before_handler(const seam::running_message& one) noexcept override {
    tracer_.before_handler(one);
    if (dials_.wants_handler()) dials_.before_handler(one);
  }
  void after_handler(const seam::running_message& one) noexcept override {
    if (dials_.wants_handler()) dials_.after_handler(one);
    tracer_.after_handler(one);
  }
  void before_carried() noexcept override { tracer_.before_carried(); }
  void after_carried(const seam::running_message& one) noexcept override {
    tracer_.after_carried(one);
  }
  seam::return_path& wrap_answers(seam::return_path& back, am_rank requester) noexcept override {
    seam::return_path& inner = dials_.wants_handler() ? dials_.wrap_answers(back, requester) : back;
    return tracer_.wrap_answers(inner, requester);
  }

 private:
  seam::handler_hooks& dials_;
  seam::handler_hooks& tracer_;
};

}  // namespace am::detail::core
