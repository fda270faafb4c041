// The hooks of those of AM_DIAL, AM_TRACE and AM_DILATE that are set. Messages are recorded with
// what dials add, and what the program computes is all inside.
#pragma once

#include <libam/seam/message_hooks.hpp>

namespace am::detail::core {

class combined_hooks final : public seam::handler_hooks {
 public:
  // Null: not set. They outlive it.
  combined_hooks(seam::handler_hooks* dials, seam::handler_hooks* tracer,
                 seam::handler_hooks* dilator) noexcept
      : dials_(dials), tracer_(tracer), dilator_(dilator) {}

  void name_handlers(std::span<const seam::inbox::entry> table) override {
    for (seam::handler_hooks* one : {dials_, tracer_, dilator_})
      if (one != nullptr) one->name_handlers(table);
  }
  [[nodiscard]] bool wants_handler() const noexcept override {
    return wants(dials_) || wants(tracer_) || wants(dilator_);
  }
  void before_handler(const seam::running_message& one) noexcept override {
    for (seam::handler_hooks* each : {tracer_, dials_, dilator_})
      if (wants(each)) each->before_handler(one);
  }
  void after_handler(const seam::running_message& one) noexcept override {
    for (seam::handler_hooks* each : {dilator_, dials_, tracer_})
      if (wants(each)) each->after_handler(one);
  }
  void before_carried() noexcept override {
    for (seam::handler_hooks* each : {tracer_, dilator_})
      if (wants(each)) each->before_carried();
  }
  void after_carried(const seam::running_message& one) noexcept override {
    for (seam::handler_hooks* each : {dilator_, tracer_})
      if (wants(each)) each->after_carried(one);
  }
  seam::return_path& wrap_answers(seam::return_path& back, am_rank requester) noexcept override {
    seam::return_path* outer = &back;
    for (seam::handler_hooks* each : {dials_, tracer_, dilator_})
      if (wants(each)) outer = &each->wrap_answers(*outer, requester);
    return *outer;
  }

 private:
  static bool wants(const seam::handler_hooks* one) noexcept {
    return one != nullptr && one->wants_handler();
  }

  seam::handler_hooks* const dials_;
  seam::handler_hooks* const tracer_;
  seam::handler_hooks* const dilator_;
};

}  // namespace am::detail::core
