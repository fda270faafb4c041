// One message for each item, as a program without buffers of its own sends them: a window of
// MPI_Isend, and a window of MPI_Irecv that is posted ahead.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

namespace apps {

template <class Item>
class single_messages {
 public:
  // `to_come`: how many items others send here.
  explicit single_messages(std::size_t to_come) : to_come_(to_come) {
    sends_.fill(MPI_REQUEST_NULL);
    receives_.fill(MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < window && posted_ < to_come_; ++i) post(i);
  }

  // `on_item` gets each item that comes meanwhile.
  template <class OnItem>
  void send(int to, const Item& item, OnItem&& on_item) {
    const std::size_t slot = sent_++ % window;
    while (!is_free(slot)) receive(on_item);
    out_[slot] = item;
    MPI_Isend(&out_[slot], sizeof(Item), MPI_BYTE, to, 0, MPI_COMM_WORLD, &sends_[slot]);
    if (slot == 0) receive(on_item);
  }
  // Until all that was to come has come, and all that was sent has left.
  template <class OnItem>
  void finish(OnItem&& on_item) {
    while (received_ < to_come_) receive(on_item);
    MPI_Waitall(window, sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int window = 64;

  void post(std::size_t i) {
    MPI_Irecv(&in_[i], sizeof(Item), MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receives_[i]);
    ++posted_;
  }
  bool is_free(std::size_t slot) {
    int free = 0;
    MPI_Test(&sends_[slot], &free, MPI_STATUS_IGNORE);
    return free != 0;
  }
  template <class OnItem>
  void receive(OnItem&& on_item) {
    int done = 0;
    std::array<int, window> which;
    MPI_Testsome(window, receives_.data(), &done, which.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < done; ++i) {  // negative: no receive is posted
      const auto slot = static_cast<std::size_t>(which[static_cast<std::size_t>(i)]);
      on_item(in_[slot]);
      ++received_;
      if (posted_ < to_come_) post(slot);
    }
  }

  std::size_t to_come_;
  std::size_t posted_ = 0;
  std::size_t received_ = 0;
  std::size_t sent_ = 0;
  std::array<Item, window> out_;
  std::array<Item, window> in_;
  std::array<MPI_Request, window> sends_;
  std::array<MPI_Request, window> receives_;
};

}  // namespace apps
