// libam's two-sided messages as a library that is measured beside others.
#pragma once

#include <am/messages.hpp>
#include <calib/program/two_sided.hpp>

#include <algorithm>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

namespace calib {

class two_sided_am {
 public:
  using request = am::messages::request;

  static request none() { return {}; }

  explicit two_sided_am(am::endpoint& ep) : two_sided_am(am::team(ep)) {}
  // Of some ranks of a job.
  explicit two_sided_am(am::team members) : all_(std::move(members)), box_(all_) {}

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(box_.rank()); }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(box_.ranks()); }

  void send(int to, int tag, const std::byte* data, std::size_t bytes) {
    box_.send(id(to), tag, std::span(data, bytes));
  }
  void bsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    std::erase_if(buffered_, [](buffered& one) { return one.sent.test(); });
    buffered& one = buffered_.emplace_back();
    one.data.assign(data, data + bytes);
    one.sent = box_.isend(id(to), tag, one.data);
  }
  void ssend(int to, int tag, const std::byte* data, std::size_t bytes) {
    box_.ssend(id(to), tag, std::span(data, bytes));
  }
  void rsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    box_.rsend(id(to), tag, std::span(data, bytes));
  }
  request isend(int to, int tag, const std::byte* data, std::size_t bytes) {
    return box_.isend(id(to), tag, std::span(data, bytes));
  }
  request issend(int to, int tag, const std::byte* data, std::size_t bytes) {
    return box_.issend(id(to), tag, std::span(data, bytes));
  }
  request irsend(int to, int tag, const std::byte* data, std::size_t bytes) {
    return box_.irsend(id(to), tag, std::span(data, bytes));
  }
  void recv(int from, int tag, std::byte* room, std::size_t bytes) {
    box_.recv(id(from), tag, std::span(room, bytes));
  }
  request irecv(int from, int tag, std::byte* room, std::size_t bytes) {
    return box_.irecv(id(from), tag, std::span(room, bytes));
  }
  void sendrecv(int to, int tag, const std::byte* data, std::size_t bytes, int from, int tag_from,
                std::byte* room, std::size_t room_bytes) {
    box_.sendrecv(id(to), tag, std::span(data, bytes), id(from), tag_from,
                  std::span(room, room_bytes));
  }

  [[nodiscard]] bool test(request& one) { return one.test(); }
  void wait(request& one) { one.wait(); }
  void wait_all(std::span<request> all) { am::messages::wait_all(all); }
  void barrier() {
    box_.run([this] { all_.barrier(); });
  }
  [[nodiscard]] double max(double mine) {
    return box_.run(
        [&] { return all_.all_reduce(mine, [](double a, double b) { return std::max(a, b); }); });
  }

 private:
  struct buffered {
    std::vector<std::byte> data;
    request sent;
  };

  static am::rank_id id(int rank) noexcept { return static_cast<am::rank_id>(rank); }

  am::team all_;
  am::messages::mailbox box_;
  std::list<buffered> buffered_;
};
static_assert(two_sided<two_sided_am>);

}  // namespace calib
