// What the ranks send on their connections. False: the frame breaks the protocol.
#include <libam/base/text.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace am::detail::run {
namespace {

std::string text_of(seam::bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool rank_server::handle_frame(am_rank rank, const boot::frame& received) {
  switch (received.kind) {
    case boot::frame_kind::fence: return handle_fence(rank, received.body);
    case boot::frame_kind::notify: return handle_notify(rank, received.body);
    case boot::frame_kind::abort: return handle_abort(rank, received.body);
    case boot::frame_kind::leave: handle_leave(rank); return true;
    default: return false;
  }
}

bool rank_server::handle_fence(am_rank rank, seam::bytes_view body) {
  // A rank that has not read the answer to its last fence cannot have arrived at the next.
  const bool has_read_answer = of(rank).connection->outgoing.empty();
  if (of(rank).in_fence || !has_read_answer || body.size() > boot::most_fence_bytes + 64 ||
      !seam::are_blobs(body))
    return false;
  of(rank).in_fence = true;
  events_.on_contributed(rank, of(rank).epoch, text_of(body));
  return true;
}

bool rank_server::handle_notify(am_rank rank, seam::bytes_view body) {
  seam::cursor at(body);
  const auto attention = at.long_number();
  const auto bits = at.long_number();
  const auto exit_report = at.long_number();
  const auto wakeup = at.long_number();
  auto& notification = epochs_[of(rank).epoch].exit_notifications[ranks_.place_of(rank)];
  if (!attention || !bits || !exit_report || !wakeup || !at.empty() || notification) return false;
  notification = {*attention, *bits, *exit_report, *wakeup};
  events_.on_watching(rank, of(rank).epoch, *exit_report);
  return true;
}

bool rank_server::handle_abort(am_rank rank, seam::bytes_view body) {
  seam::cursor at(body);
  const auto status = at.number();
  if (!status) return false;
  std::string line = text_of(at.rest().first(std::min(at.rest().size(), boot::most_line_bytes)));
  base::make_one_line(line);
  close_connection(rank);
  events_.on_aborted(rank, static_cast<int>(*status), std::move(line));
  return true;
}

void rank_server::handle_leave(am_rank rank) {
  const unsigned epoch = of(rank).epoch;
  ++epochs_[epoch].left;
  erase_if_complete(epoch);
  close_connection(rank);
  events_.on_left(rank, epoch);
}

void rank_server::erase_if_complete(unsigned number) {
  const epoch_state& epoch = epochs_[number];
  if (epoch.left + epoch.deaths == ranks_.size()) epochs_.erase(number);
}

}  // namespace am::detail::run
