// The transports of this rank, best first, and why it does not have the others.
#pragma once

#include <libam/core/membership.hpp>
#include <libam/core/ways.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/transport.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::core {

class transport_set {
 public:
  // A transport, or why it is none.
  struct way {
    std::string name;
    std::unique_ptr<seam::transport> transport;
    std::string why_not;
  };

  transport_set() = default;
  transport_set(const transport_set&) = delete;
  transport_set& operator=(const transport_set&) = delete;

  void make(const seam::host& host);
  // A fault that would befall nobody is a mistake, not a test that passes.
  [[nodiscard]] am_status check_faults(const base::settings& settings) const;

  // All that there are.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const way& w : all_)
      if (w.transport != nullptr) visit(*w.transport);
  }
  template <class Visit>
  void each_with(seam::capability one, Visit&& visit) const {
    each([&](seam::transport& t) {
      if (t.can().has(one)) visit(t);
    });
  }
  [[nodiscard]] const std::vector<way>& all() const noexcept { return all_; }
  // Those that may have something.
  [[nodiscard]] const std::vector<seam::transport*>& polled() const noexcept { return polled_; }
  void poll_too(seam::transport& one) {
    if (std::ranges::find(polled_, &one) == polled_.end()) polled_.push_back(&one);
  }
  // The most bytes that each of them takes, and the user wants.
  [[nodiscard]] std::size_t max_medium() const noexcept { return max_medium_; }
  // Which this rank has, and why not the others.
  [[nodiscard]] std::vector<seam::attempt> attempts() const;
  void clear() noexcept;

 private:
  [[nodiscard]] bool is_wanted_here(std::string_view network, const seam::host& host) const;
  seam::make_transport* choose(const known_transport& one, const seam::host& host,
                               std::string& why_not) const;

  std::vector<way> all_;
  std::vector<seam::transport*> polled_;
  std::size_t max_medium_ = 0;
};

}  // namespace am::detail::core
