// The transports of this rank, best first, and why others are not used.
#pragma once

#include <libam/core/known_transports.hpp>
#include <libam/core/membership.hpp>
#include <libam/core/observers.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/message_hooks.hpp>
#include <libam/seam/transport.hpp>
#include <libam/trace/writer.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::core {

class host_clocks;

class transport_set {
 public:
  // A transport, or why there is none.
  struct candidate {
    std::string name;
    std::unique_ptr<seam::transport> transport;
    std::string why_not;
  };

  transport_set() = default;
  transport_set(const transport_set&) = delete;
  transport_set& operator=(const transport_set&) = delete;

  // Before make(): of AM_DIAL, AM_TRACE and AM_DILATE.
  am_status make_hooks(const seam::transport_context& context);
  // Of handlers; null: none is set.
  [[nodiscard]] seam::handler_hooks* hooks() const noexcept;
  // Null: AM_TRACE is not set.
  [[nodiscard]] trace::writer* trace() const noexcept {
    return around_ == nullptr ? nullptr : around_->trace.get();
  }
  // Null: neither AM_TRACE nor AM_DILATE is set.
  [[nodiscard]] const observers* observed_by() const noexcept {
    return around_ == nullptr || (around_->computation == nullptr && around_->trace == nullptr)
               ? nullptr
               : &around_->by;
  }
  // Null: AM_DILATE is not set.
  [[nodiscard]] dilate::computation* computation() const noexcept {
    return around_ == nullptr ? nullptr : around_->computation.get();
  }
  // Null: this is no traced job on several hosts.
  [[nodiscard]] host_clocks* clocks() const noexcept {
    return around_ == nullptr ? nullptr : around_->by.clocks;
  }
  void set_clocks(std::unique_ptr<host_clocks> clocks) noexcept;
  void make(const seam::transport_context& context);
  // A fault that no transport can inject is an error, not a test that passes.
  [[nodiscard]] am_status check_faults(const base::settings& settings) const;

  // Visits every transport that is used.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const candidate& one : all_)
      if (one.transport != nullptr) visit(*one.transport);
  }
  template <class Visit>
  void each_with(seam::capability one, Visit&& visit) const {
    each([&](seam::transport& t) {
      if (t.caps().has(one)) visit(t);
    });
  }
  [[nodiscard]] const std::vector<candidate>& all() const noexcept { return all_; }
  // Those that may deliver something.
  [[nodiscard]] const std::vector<seam::transport*>& polled() const noexcept { return polled_; }
  void add_polled(seam::transport& one) {
    if (std::ranges::find(polled_, &one) == polled_.end()) polled_.push_back(&one);
  }
  // The most bytes that every transport and AM_MAX_MEDIUM allow.
  [[nodiscard]] std::size_t max_medium() const noexcept { return max_medium_; }
  // Each transport, with why it is not used, or nothing.
  [[nodiscard]] std::vector<seam::attempt> attempts() const;
  void clear() noexcept;

 private:
  std::unique_ptr<seam::transport> wrapped(std::unique_ptr<seam::transport> plain,
                                           const seam::transport_context& context);
  [[nodiscard]] bool is_wanted_here(std::string_view network,
                                    const seam::transport_context& context) const;
  seam::make_transport_fn* choose(const known_transport& one,
                                  const seam::transport_context& context,
                                  std::string& why_not) const;

  // What AM_DIAL, AM_TRACE and AM_DILATE put around transports, which it outlives. Null: not set.
  struct wrapping {
    std::unique_ptr<seam::message_hooks> dials;
    std::unique_ptr<trace::writer> trace;
    std::unique_ptr<seam::message_hooks> tracer;
    std::unique_ptr<dilate::computation> computation;
    std::unique_ptr<seam::message_hooks> dilator;
    observers by;
    std::unique_ptr<seam::handler_hooks> combined;
    seam::handler_hooks* of_handlers = nullptr;
    std::unique_ptr<host_clocks> clocks;

    wrapping();
    ~wrapping();
    void combine();
  };
  std::unique_ptr<wrapping> around_;  // null: none is set
  std::vector<candidate> all_;
  std::vector<seam::transport*> polled_;
  std::size_t max_medium_ = 0;
};

}  // namespace am::detail::core
