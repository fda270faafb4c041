#include <libam/tools/am-run/remote/agent_reports.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <algorithm>

namespace am::detail::run {
namespace {

constexpr std::size_t most_line = 2000;
constexpr std::size_t most_messages = 1000;

std::string one_line(std::string text) {
  text.resize(std::min(text.size(), most_line));
  base::make_one_line(text);
  return text;
}

}  // namespace

bool agent_reports::any_running() const {
  return std::ranges::count(states_, rank_state::running) != 0;
}

bool agent_reports::read(host_frame kind, seam::bytes_view body) {
  std::uint32_t number = 0;
  std::string line;
  rank_set lost;
  switch (kind) {
    case host_frame::message:
      if (!unpack(body, line)) return false;
      pass_message(one_line(std::move(line)));
      return true;
    case host_frame::failed:
      if (!unpack(body, number, line)) return false;
      events_.on_failed(static_cast<int>(number & 0xffU), one_line(std::move(line)));
      return true;
    case host_frame::host_lost:
      return unpack(body, lost, line) && lose_hosts(lost, one_line(std::move(line)));
    case host_frame::secret_wanted:
      if (!unpack(body, number)) return false;
      events_.on_secret_wanted(number);
      return true;
    case host_frame::contributed: return read_contributions(body);
    default: {
      seam::cursor at(body);
      return unpack_one(at, number) && ranks_.has(number) && read_of_rank(kind, number, at.rest());
    }
  }
}

bool agent_reports::lose_hosts(const rank_set& ranks, std::string how) {
  if (!std::ranges::all_of(ranks, [this](am_rank rank) { return ranks_.has(rank); })) return false;
  for (const am_rank rank : ranks) state_of(rank) = rank_state::ended;
  events_.on_host_lost(ranks, std::move(how));
  return true;
}

// See contribution_gatherer.
bool agent_reports::read_contributions(seam::bytes_view body) {
  std::uint32_t epoch = 0;
  std::string all;
  if (!unpack(body, epoch, all)) return false;
  seam::cursor at(seam::as_bytes(all));
  while (!at.empty()) {
    std::uint32_t rank = 0;
    std::string blobs;
    if (!unpack_one(at, rank) || !unpack_one(at, blobs) || !ranks_.has(rank) ||
        state_of(rank) == rank_state::not_started || !seam::are_blobs(seam::as_bytes(blobs)))
      return false;
    events_.on_contributed(rank, epoch, std::move(blobs));
  }
  return true;
}

// As many as a person may want to read: each of them is kept until the reader has taken it.
void agent_reports::pass_message(std::string line) {
  if (messages_ > most_messages) return;
  if (++messages_ > most_messages) line += " (further messages are not shown)";
  events_.on_message(std::move(line));
}

bool agent_reports::read_of_rank(host_frame kind, am_rank rank, seam::bytes_view rest) {
  std::uint32_t number = 0;
  const rank_state before = state_of(rank);
  switch (kind) {
    case host_frame::started:
      if (!unpack(rest, number) || before != rank_state::not_started) return false;
      state_of(rank) = rank_state::running;
      events_.on_started(rank, static_cast<pid_t>(number));
      return true;
    case host_frame::ended:
      if (!unpack(rest, number) || before != rank_state::running) return false;
      state_of(rank) = rank_state::ended;
      events_.on_ended(rank, static_cast<int>(number));
      return true;
    case host_frame::explained:
      if (!unpack(rest, number)) return false;
      events_.on_explained(rank, number != 0);
      return true;
    default: return before != rank_state::not_started && read_of_join(kind, rank, rest);
  }
}

bool agent_reports::read_of_join(host_frame kind, am_rank rank, seam::bytes_view rest) {
  std::uint32_t number = 0;
  std::uint32_t pid = 0;
  std::uint64_t offset = 0;
  std::string text;
  switch (kind) {
    case host_frame::joined:
      if (!unpack(rest, number, pid)) return false;
      events_.on_joined(rank, number, static_cast<pid_t>(pid));
      return true;
    case host_frame::watching:
      if (!unpack(rest, number, offset)) return false;
      events_.on_watching(rank, number, offset);
      return true;
    case host_frame::left:
      if (!unpack(rest, number)) return false;
      events_.on_left(rank, number);
      return true;
    case host_frame::lost: events_.on_lost(rank); return rest.empty();
    case host_frame::aborted:
      if (!unpack(rest, number, text)) return false;
      events_.on_aborted(rank, static_cast<int>(number), one_line(std::move(text)));
      return true;
    default: return false;
  }
}

}  // namespace am::detail::run
