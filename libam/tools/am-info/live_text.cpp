// What a live rank does, for people.
#include <libam/base/format.hpp>
#include <libam/tools/am-info/report.hpp>

#include <algorithm>

namespace am::detail::info {
namespace {

std::string request_text(const live_request& request) {
  const auto& w = request.words;
  const char* const begun = !request.begun   ? "may have begun there"
                            : *request.begun ? "begun there"
                                             : "not begun there";
  return base::format("{}({:#x}, {:#x}, {:#x}, {:#x}), {}", request.handler, w[0], w[1], w[2], w[3],
                      begun);
}

void add_doing(std::string& text, const live_rank& rank) {
  if (!rank.handler.empty())
    base::append(text, "  runs handler {}, of a message from rank {}\n", rank.handler, rank.source);
  if (rank.call.empty())
    text += "  has not waited long in any call\n";
  else if (rank.waits_for)
    base::append(text, "  waits in {} to rank {}, for {:.1f} s\n", rank.call, *rank.waits_for,
                 rank.waited);
  else
    base::append(text, "  waits in {}, for {:.1f} s\n", rank.call, rank.waited);
  base::append(text, "  polls: {}, of which {} found nothing; {} more in the next 0.1 s\n",
               rank.polls, rank.empty_polls, rank.new_polls);
}

void add_peers(std::string& text, const std::vector<live_peer>& peers) {
  base::append(text, "\n  {:>5} {:<5} {:>12} {:>16} {:>12} {:>12}  {}\n", "peer", "by", "requests",
               "unanswered", "answers", "handled", "oldest unanswered");
  for (const live_peer& peer : peers) {
    const am_traffic& t = peer.traffic;
    base::append(text, "  {:>5} {:<5} {:>12} {:>16} {:>12} {:>12}  {}\n", peer.rank,
                 peer.transport.empty() ? "-" : peer.transport, t.requests,
                 base::format("{} of {}", peer.unanswered, peer.credits), t.answers, t.handled,
                 peer.oldest ? request_text(*peer.oldest) : "");
  }
}

}  // namespace

std::string live_text(const live_rank& rank) {
  std::string text = base::format("rank {} of {}: process {}, which {}\n", rank.rank, rank.ranks,
                                  rank.pid, rank.process);
  add_doing(text, rank);
  if (!rank.peers.empty()) add_peers(text, rank.peers);
  std::size_t widest = 0;
  for (const auto& [name, runs] : rank.handlers) widest = std::max(widest, name.size());
  if (widest != 0) text += "\n  handlers that have run\n";
  for (const auto& [name, runs] : rank.handlers)
    base::append(text, "  {:<{}} {:>12}\n", name, widest, runs);
  return text;
}

}  // namespace am::detail::info
