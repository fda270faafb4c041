// Messages of some size as both sides of a layer without handlers that reply move them: a sample
// begins and ends with a word from the responder. `Layer` derives from this, sends and receives.
#pragma once

#include <calib/program/mediums.hpp>

#include <cstddef>
#include <cstdint>

namespace calib {

template <class Layer>
class medium_sides {
 public:
  // ---- requester ----

  void wait_until_ready() {
    begin_sample(what_.bidirectional ? what_.count : 0);
    (void)layer().receive_word();
  }
  void wait_for_mediums() {
    layer().finish();
    remote_sum_ = layer().receive_word();
  }
  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = sum_of(what_, first_);
    return remote_sum_ == sum && sum_ == (what_.bidirectional ? sum : 0);
  }

  // ---- responder ----

  void serve_mediums() {
    begin_sample(what_.count);
    layer().send_word(0);
    if (what_.bidirectional) {
      layer().wait_for_first();
      for (std::uint64_t i = 0; i < what_.count; ++i) layer().send_medium();
    } else {
      next_ += what_.count;
    }
    layer().finish();
    layer().send_word(sum_);
  }

 protected:
  // Adds the message at `at` to what this sample has received.
  void read(const std::byte* at) {
    sum_ += unpack(at, what_.bytes);
    ++received_;
  }

  medium_spec what_{};
  std::uint64_t next_ = 0;
  std::uint64_t expected_ = 0;  // in this sample
  std::uint64_t received_ = 0;

 private:
  Layer& layer() { return static_cast<Layer&>(*this); }

  void begin_sample(std::uint64_t expected) {
    first_ = next_;
    sum_ = received_ = 0;
    expected_ = expected;
    layer().post_receives();
  }

  std::uint64_t first_ = 0;  // the first number of this sample
  std::uint64_t sum_ = 0;
  std::uint64_t remote_sum_ = 0;
};

}  // namespace calib
